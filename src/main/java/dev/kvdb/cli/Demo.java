package dev.kvdb.cli;

import dev.kvdb.Cursor;
import dev.kvdb.Database;
import dev.kvdb.Durability;
import dev.kvdb.KeyRange;
import dev.kvdb.Options;
import dev.kvdb.ReadTransaction;
import dev.kvdb.Table;
import dev.kvdb.TableSnapshot;
import dev.kvdb.VerifyReport;
import dev.kvdb.WriteBatch;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * The demonstration: the main jobs of kvdb on real data, each with what it cost. For one thread.
 */
final class Demo {
  /**
   * How long its parts take.
   *
   * @param lookups how many random lookups are timed
   * @param writerMillis how long the writer commits before it is killed
   * @param levelMillis how long commits of one durability level are timed
   */
  record Pace(int lookups, int writerMillis, int levelMillis) {
    static final Pace NORMAL = new Pace(100_000, 1000, 500);
  }

  private static final int BATCH_SIZE = 1000;
  private static final int COMMITS_MAX = 200_000;
  private static final int COMMITS_WARM = 20;
  private static final long SEED = 20250101;

  private final Output out;
  private final Path file;
  private final Durability durability;
  private final Pace pace;
  private final String program = System.getProperty("kvdb.command", "kvdb");

  /**
   * @param file the database it works on, in a folder that exists; what is in it is replaced
   * @param durability of the load and of the writer's commits
   */
  Demo(Output out, Path file, Durability durability, Pace pace) {
    this.out = out;
    this.file = file;
    this.durability = durability;
    this.pace = pace;
  }

  /** Runs all parts; returns the exit status: a failure if anything acknowledged was lost. */
  int run() throws IOException, InterruptedException {
    out.line("kvdb demo: the names of all Unicode characters, in " + file);
    List<String[]> names = unicodeNames();
    try (Database database = Database.open(file, Options.defaults().withDurability(durability))) {
      load(database, names);
      lookUp(database.table(), names);
      scan(database);
    }
    boolean isWhole = killAndRecover(names.size());
    commitCosts();
    end();
    return isWhole ? ExitStatus.SUCCESS : ExitStatus.FAILURE;
  }

  /** Every assigned character but surrogates and private use, which have no name of their own. */
  private static List<String[]> unicodeNames() {
    List<String[]> names = new ArrayList<>(160_000);
    for (int codePoint = 0; codePoint <= Character.MAX_CODE_POINT; codePoint++) {
      int type = Character.getType(codePoint);
      if (type != Character.UNASSIGNED
          && type != Character.SURROGATE
          && type != Character.PRIVATE_USE) {
        names.add(
            new String[] {
              String.format(Locale.ROOT, "U+%04X", codePoint), Character.getName(codePoint)
            });
      }
    }
    return names;
  }

  private void load(Database database, List<String[]> names) {
    heading("1. Load");
    Table table = database.table();
    table.deleteRange(KeyRange.all());
    long begin = System.nanoTime();
    WriteBatch batch = new WriteBatch();
    for (String[] name : names) {
      batch.put(table, bytes(name[0]), bytes(name[1]));
      if (batch.operationCount() == BATCH_SIZE) {
        database.write(batch);
        batch.clear();
      }
    }
    database.write(batch);
    double seconds = (System.nanoTime() - begin) / 1e9;
    out.line(
        "   %,d entries in %.2f s, %,.0f a second: batches of %,d, durability %s (%s)",
        names.size(),
        seconds,
        names.size() / seconds,
        BATCH_SIZE,
        DurabilityConverter.nameOf(durability),
        durability.systemCall());
    out.flush();
  }

  private void lookUp(Table table, List<String[]> names) {
    heading("2. Look up");
    for (String key : List.of("U+0041", "U+20AC", "U+1F600")) {
      byte[] value = table.get(bytes(key));
      out.line("   %-8s %s", key, value == null ? "(not found)" : text(value));
    }
    SplittableRandom random = new SplittableRandom(SEED);
    byte[][] keys = new byte[pace.lookups()][];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = bytes(names.get(random.nextInt(names.size()))[0]);
    }
    timeLookups(table, keys);
    long[] nanos = timeLookups(table, keys);
    out.line("   %,d lookups of random keys: %s", nanos.length, latencies(nanos));
    out.flush();
  }

  private static long[] timeLookups(Table table, byte[][] keys) {
    long[] nanos = new long[keys.length];
    for (int i = 0; i < keys.length; i++) {
      long begin = System.nanoTime();
      byte[] value = table.get(keys[i]);
      nanos[i] = System.nanoTime() - begin;
      if (value == null) {
        throw new CliException(ExitStatus.FAILURE, "lost the key " + text(keys[i]));
      }
    }
    return nanos;
  }

  private void scan(Database database) {
    heading("3. Scan, in one snapshot");
    try (ReadTransaction snapshot = database.beginRead()) {
      TableSnapshot table = snapshot.in(database.table());
      scan(
          table,
          "the range from U+1F680 to U+1F690",
          KeyRange.between(bytes("U+1F680"), bytes("U+1F690")),
          false);
      scan(table, "the prefix U+1F98", KeyRange.prefix(bytes("U+1F98")), false);
      scan(table, "everything, in reverse", KeyRange.all(), true);
    }
    out.flush();
  }

  private void scan(TableSnapshot table, String what, KeyRange range, boolean reverse) {
    final int shownMax = 3;
    List<String> shown = new ArrayList<>();
    long entries = 0;
    long valueBytes = 0;
    long begin = System.nanoTime();
    try (Cursor cursor = table.cursor(range)) {
      while (reverse ? cursor.previous() : cursor.next()) {
        valueBytes += cursor.valueLength();
        if (entries < shownMax) {
          shown.add(String.format("      %-8s %s", text(cursor.key()), text(cursor.value())));
        }
        entries++;
      }
    }
    long nanos = System.nanoTime() - begin;
    out.line(
        "   %s: %,d entries, %,d bytes of values, in %s",
        what, entries, valueBytes, duration(nanos));
    shown.forEach(out::line);
    if (entries > shown.size()) {
      out.line("      ... and %,d more", entries - shown.size());
    }
  }

  private boolean killAndRecover(long namesExpected) throws IOException, InterruptedException {
    heading("4. Kill a writer in the middle of its commits");
    DemoCrash crash = new DemoCrash(file, durability);
    long acknowledged = crash.runWriterAndKill(pace.writerMillis());
    out.line(
        "   another process committed batches of %d changes and was killed with SIGKILL",
        DemoOrders.CHANGES);
    out.flush();
    DemoCrash.Findings findings = crash.reopenAndCompare(acknowledged);
    out.line("   reopened in %s", duration(findings.openNanos()));
    out.line("   acknowledged %,8d commits, before the writer died", acknowledged);
    long unacknowledged = findings.recovered() - (acknowledged - findings.lost());
    out.line(
        "   recovered    %,8d commits, compared entry by entry%s",
        findings.recovered(),
        unacknowledged == 0 ? "" : "; " + unacknowledged + " had not been acknowledged yet");
    out.line("   lost         %,8d acknowledged commits", findings.lost());
    out.line("   half there   %,8d commits", findings.partial());
    boolean isWhole = findings.lost() == 0 && findings.partial() == 0 && findings.strays() == 0;
    try (Database database = Database.open(file, Options.defaults().withReadOnly(true))) {
      VerifyReport report = database.verify();
      long names = database.table().count();
      out.line(
          "   verify: %,d pages and %,d entries checked, %d problems; %,d of %,d names are there",
          report.pagesChecked(),
          report.entriesChecked(),
          report.problems().size(),
          names,
          namesExpected);
      report.problems().forEach(problem -> out.line("      " + problem));
      isWhole &= report.isClean() && names == namesExpected;
    }
    if (!isWhole) {
      out.line("   THE DATABASE DID NOT KEEP ITS PROMISE: keep these files and report it");
    }
    out.flush();
    return isWhole;
  }

  private void commitCosts() {
    heading("5. What a commit costs on this disk, one put of 100 bytes each");
    Path costFile = file.resolveSibling("commit-cost.kvdb");
    for (Durability level : Durability.values()) {
      long[] nanos = timeCommits(costFile, level);
      double perSecond = nanos.length / (Arrays.stream(nanos).sum() / 1e9);
      out.line(
          "   %-8s %,10.0f commits/s   %s   (waits for %s)",
          DurabilityConverter.nameOf(level), perSecond, latencies(nanos), level.systemCall());
      out.flush();
    }
  }

  private long[] timeCommits(Path costFile, Durability level) {
    byte[] value = new byte[100];
    Arrays.fill(value, (byte) 'v');
    long[] nanos = new long[COMMITS_MAX];
    int commits = 0;
    try (Database database = Database.open(costFile, Options.defaults().withDurability(level))) {
      Table table = database.table();
      for (int i = 0; i < COMMITS_WARM; i++) {
        table.put(bytes("warm"), value);
      }
      long end = System.nanoTime() + pace.levelMillis() * 1_000_000L;
      while (commits < COMMITS_MAX && System.nanoTime() < end) {
        byte[] key = bytes("key" + commits);
        long begin = System.nanoTime();
        table.put(key, value);
        nanos[commits++] = System.nanoTime() - begin;
      }
    }
    return Arrays.copyOf(nanos, commits);
  }

  private void end() {
    String quoted = Shell.quote(file.toString());
    out.line("");
    out.line("The files are in " + file.toAbsolutePath().normalize().getParent() + ". Try:");
    out.line("   " + program + " get " + quoted + " U+1F600");
    out.line("   " + program + " scan " + quoted + " --prefix U+1F60");
    out.line("   " + program + " stat " + quoted);
    out.line("   " + program + " help");
    out.flush();
  }

  private void heading(String text) {
    out.line("");
    out.line(text);
    out.flush();
  }

  private static String latencies(long[] nanos) {
    long[] sorted = nanos.clone();
    Arrays.sort(sorted);
    return "median "
        + duration(sorted[sorted.length / 2])
        + ", 99 % below "
        + duration(sorted[(int) (sorted.length * 0.99)]);
  }

  /** A time in the unit that suits it. */
  private static String duration(long nanos) {
    if (nanos < 1_000_000) {
      return String.format(Locale.ROOT, "%.1f us", nanos / 1e3);
    }
    return String.format(Locale.ROOT, "%.1f ms", nanos / 1e6);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] bytes) {
    return TextForm.format(bytes);
  }
}
