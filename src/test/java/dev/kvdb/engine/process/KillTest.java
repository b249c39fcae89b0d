package dev.kvdb.engine.process;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.engine.CommitLevel;
import dev.kvdb.engine.Engine;
import dev.kvdb.engine.EngineOptions;
import dev.kvdb.nativecalls.NativeCalls;
import java.io.DataInputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills a writing process again and again: whatever was acknowledged is there afterwards. */
class KillTest {
  private static final boolean LONG = Boolean.getBoolean("kvdb.long");
  private static final int ROUNDS = Integer.getInteger("kvdb.rounds", LONG ? 200 : 16);
  private static final int THREADS = 4;
  private static final long CHECK_POOL_BYTES = 64 << 20;

  @TempDir Path directory;

  private Random random;
  private WriterHistory history;
  private int replays;
  private int killedWhileOpening;
  private long checkpoints;

  @Test
  void whatWasAcknowledgedSurvivesSigkill() throws Exception {
    long seed = Long.getLong("kvdb.seed", System.nanoTime() & 0xFFFFFF);
    random = new Random(seed);
    history = new WriterHistory(seed, THREADS);
    for (int round = 0; round < ROUNDS; round++) {
      try {
        round(round);
      } catch (Throwable problem) {
        throw new AssertionError("seed " + seed + ", round " + round + ": " + problem, problem);
      }
    }
    String summary =
        ROUNDS
            + " rounds (seed "
            + seed
            + "), "
            + history.commits()
            + " commits, "
            + history.inFlight
            + " in flight when killed ("
            + history.inFlightThere
            + " of them there afterwards), "
            + replays
            + " openings replayed something, "
            + killedWhileOpening
            + " kills hit an opening, "
            + checkpoints
            + " checkpoints, at most "
            + history.evictions
            + " pages evicted in a round";
    System.out.println("kill -9: " + summary);
    assertTrue(history.commits() > 10L * ROUNDS, summary);
    assertTrue(history.inFlight > 0, summary);
    assertTrue(replays >= ROUNDS / 3, summary);
    assertTrue(checkpoints > 0, summary);
    assertTrue(history.evictions > 0, summary);
  }

  private void round(int round) throws Exception {
    Path path = directory.resolve("database");
    CommitLevel level = round % 2 == 0 ? CommitLevel.NONE : CommitLevel.FSYNC;
    boolean duringOpening = round % 4 == 3;
    history.checkpoints = 0;
    try (ChildJvm child =
        ChildJvm.start(
            directory,
            List.of("-XX:TieredStopAtLevel=1"),
            WriterChild.class,
            history.arguments(path.toString(), level.name(), 0))) {
      DataInputStream reports = new DataInputStream(child.output());
      boolean isUp =
          history.readUntil(reports, duringOpening ? WriterChild.OPENING : WriterChild.OPENED);
      assertTrue(isUp, "the child ended by itself: " + child.errors());
      Thread killer = killLater(child, duringOpening ? random.nextInt(120) : random.nextInt(700));
      history.readAll(reports);
      killer.join();
      int status = child.await();
      assertTrue(status != WriterChild.FAILED_STATUS && status != 1, child.errors());
    }
    if (history.replayedByChild < 0) {
      killedWhileOpening++;
    } else if (history.replayedByChild > 0) {
      replays++;
    }
    checkpoints += history.checkpoints;
    // Every third time the state is looked at without being repaired, so that the next child has to
    // recover from what this one left.
    boolean readOnly = round > 0 && round % 3 == 0;
    EngineOptions options = WriterPlan.options(level).withReadOnly(readOnly);
    if (readOnly) {
      options = options.withPoolBytes(CHECK_POOL_BYTES);
    }
    try (Engine engine = Engine.open(path, options, NativeCalls.system())) {
      if (engine.replayedCommits() > 0) {
        replays++;
      }
      history.check(engine);
    }
  }

  private static Thread killLater(ChildJvm child, int millis) {
    Thread killer =
        new Thread(
            () -> {
              try {
                Thread.sleep(millis);
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              } finally {
                child.kill();
              }
            });
    killer.start();
    return killer;
  }
}
