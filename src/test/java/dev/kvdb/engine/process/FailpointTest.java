package dev.kvdb.engine.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.engine.CommitLevel;
import dev.kvdb.engine.Engine;
import dev.kvdb.engine.EngineOptions;
import dev.kvdb.nativecalls.NativeCalls;
import dev.kvdb.pager.Failpoint;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Lets a process die at every named failpoint of the sources, the first time it is passed and a
 * later time, then a second one in the recovery from that, and checks what was acknowledged.
 */
class FailpointTest {
  private static final Pattern REACH = Pattern.compile("Failpoint\\s*\\.reach\\(\\s*([^)]*)\\)");
  private static final Pattern NAME = Pattern.compile("\"([a-zA-Z.]+)\"");
  private static final boolean LONG = Boolean.getBoolean("kvdb.long");
  private static final int REPEATS = LONG ? 12 : 2;
  private static final int THREADS = 2;
  private static final long COMMITS = 300;
  private static final long CHECK_POOL_BYTES = 64 << 20;

  /** What a recovery passes, and how often. */
  private static final List<String> OF_RECOVERY =
      List.of(
          "open.beforeSecure",
          "meta.written:1",
          "meta.flushed:1",
          "meta.written:2",
          "open.secured",
          "open.replayed",
          "checkpoint.begun",
          "checkpoint.pages",
          "checkpoint.written",
          "checkpoint.beforeFlush",
          "checkpoint.afterFlush",
          "meta.written:3",
          "meta.flushed:3",
          "checkpoint.finished",
          "open.recovered");

  @TempDir Path directory;

  private final long seed = Long.getLong("kvdb.seed", System.nanoTime() & 0xFFFFFF);
  private final Random random = new Random(seed);
  private int deaths;
  private int deathsInRecovery;
  private long replayed;
  private WriterHistory crashed;

  @Test
  void theListOfRecoveryNamesOnlyWhatThereIs() throws IOException {
    for (String name : OF_RECOVERY) {
      assertTrue(failpoints().contains(name.split(":")[0]), name);
    }
  }

  @Test
  void whatWasAcknowledgedSurvivesADeathAtEveryFailpoint() throws Exception {
    int index = 0;
    SortedSet<String> names = failpoints();
    assertTrue(names.size() >= 15, names.toString());
    for (String name : names) {
      for (int repeat = 0; repeat < REPEATS; repeat++) {
        int passes = repeat == 0 ? 1 : 2 + random.nextInt(6);
        // In every other case the recovery from the first death is cut short too.
        String second = repeat % 2 == 0 ? OF_RECOVERY.get(index / 2 % OF_RECOVERY.size()) : null;
        index++;
        try {
          dieAt(name, passes, second, index);
        } catch (Throwable problem) {
          throw new AssertionError(
              "seed " + seed + ", " + name + ":" + passes + ", then " + second + ": " + problem,
              problem);
        }
      }
    }
    String summary =
        names.size()
            + " failpoints (seed "
            + seed
            + "), "
            + deaths
            + " deaths, "
            + deathsInRecovery
            + " more in the recovery after one, "
            + replayed
            + " commits replayed by the last openings";
    System.out.println("failpoints: " + summary);
    assertTrue(deaths >= names.size(), summary);
    assertTrue(deathsInRecovery >= names.size() / 2, summary);
    assertTrue(replayed > 0, summary);
  }

  /** All names in the sources, so that a new one cannot be forgotten here. */
  private static SortedSet<String> failpoints() throws IOException {
    SortedSet<String> names = new TreeSet<>();
    List<Path> sources;
    try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
      sources = files.filter(file -> file.toString().endsWith(".java")).toList();
    }
    for (Path source : sources) {
      Matcher calls = REACH.matcher(Files.readString(source));
      while (calls.find()) {
        Matcher name = NAME.matcher(calls.group(1));
        boolean found = name.find();
        assertTrue(
            found || source.endsWith("Failpoint.java"),
            source + ": a failpoint whose name is no string: " + calls.group());
        if (found) {
          names.add(name.group(1));
        }
      }
    }
    return names;
  }

  private void dieAt(String name, int passes, String second, int index) throws Exception {
    Path path = directory.resolve("database" + index);
    CommitLevel level = random.nextBoolean() ? CommitLevel.NONE : CommitLevel.FSYNC;
    WriterHistory history = new WriterHistory(seed + index, THREADS);
    if (!name.startsWith("create.")) {
      // Most are passed on any database; those of a recovery only if there is a log to replay.
      history = copyOfCrashed(path);
    }
    int status = run(path, level, name + ":" + passes, COMMITS, history);
    assertTrue(
        status == Failpoint.EXIT_STATUS || (status == 0 && passes > 1),
        "it was never reached, the child ended with " + status);
    deaths += status == Failpoint.EXIT_STATUS ? 1 : 0;

    if (second != null) {
      status = run(path, level, second, 1, history);
      assertTrue(
          status == Failpoint.EXIT_STATUS || status == 0, "the second child ended with " + status);
      deathsInRecovery += status == Failpoint.EXIT_STATUS ? 1 : 0;
    }
    check(path, level, history);
  }

  /** Makes a database with a log that has to be replayed, once, and copies it. */
  private WriterHistory copyOfCrashed(Path path) throws IOException {
    Path original = directory.resolve("crashed");
    if (crashed == null) {
      crashed = new WriterHistory(seed, THREADS);
      int at = 100 + random.nextInt(300);
      assertEquals(
          Failpoint.EXIT_STATUS,
          run(original, CommitLevel.NONE, "commit.appended:" + at, COMMITS, crashed));
    }
    Files.copy(original, path);
    for (Path log : logsOf(original)) {
      String name = log.getFileName().toString();
      Files.copy(log, directory.resolve(name.replaceFirst("crashed", path.getFileName() + "")));
    }
    return crashed.copy();
  }

  private List<Path> logsOf(Path path) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith(path.getFileName() + "-"))
          .toList();
    }
  }

  private int run(
      Path path, CommitLevel level, String failpoint, long commits, WriterHistory history)
      throws IOException {
    List<String> options = List.of("-XX:TieredStopAtLevel=1", "-Dkvdb.failpoint=" + failpoint);
    try (ChildJvm child =
        ChildJvm.start(
            directory,
            options,
            WriterChild.class,
            history.arguments(path.toString(), level.name(), commits))) {
      history.readAll(new DataInputStream(child.output()));
      int status = child.await();
      assertTrue(status != WriterChild.FAILED_STATUS && status != 1, child.errors());
      checkUnrepaired(path, level, history);
      return status;
    }
  }

  /** Looks at what a child left, and leaves it so for the next. */
  private static void checkUnrepaired(Path path, CommitLevel level, WriterHistory history) {
    if (Files.exists(path)) {
      EngineOptions options =
          WriterPlan.options(level).withReadOnly(true).withPoolBytes(CHECK_POOL_BYTES);
      try (Engine engine = Engine.open(path, options, NativeCalls.system())) {
        history.check(engine);
      }
    } else {
      assertEquals(0, history.acknowledgedSinceCheck());
    }
  }

  private void check(Path path, CommitLevel level, WriterHistory history) throws IOException {
    try (Engine engine = Engine.open(path, WriterPlan.options(level), NativeCalls.system())) {
      replayed += engine.replayedCommits();
      history.check(engine);
      assertFalse(Files.exists(path.resolveSibling(path.getFileName() + "-new")));
    }
    assertEquals(List.of(), logsOf(path), "files left beside a closed database");
  }
}
