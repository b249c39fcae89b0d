package dev.kvdb.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.disk.CutCampaign;
import dev.kvdb.disk.CutCampaign.Report;
import dev.kvdb.disk.CutPoints;
import dev.kvdb.disk.Effect;
import dev.kvdb.disk.ImageChoice;
import dev.kvdb.disk.ImageChoice.Data;
import dev.kvdb.disk.ImageChoice.Names;
import dev.kvdb.disk.Kind;
import dev.kvdb.disk.SimulatedDisk;
import dev.kvdb.engine.CrashEngine.Setup;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * One call after the other fails, does half of what it should, or is the last the process makes. A
 * commit that failed is not to be seen; the open engine goes on, unless a flush failed: then it
 * refuses writes; what is left shows the failed commit or does not; nothing stays open or mapped.
 */
class CrashFailingCallsTest {
  private static final boolean LONG = Boolean.getBoolean("kvdb.long");
  private static final long SEED = Long.getLong("kvdb.seed", 1);

  private final AtomicInteger failedCommits = new AtomicInteger();
  private final AtomicInteger refusals = new AtomicInteger();
  private final AtomicInteger laterCommits = new AtomicInteger();

  private static CutCampaign campaign(int stride) {
    return CutCampaign.standard()
        .withPoints(CutPoints.every(LONG ? 1 : stride))
        .withChoices(
            List.of(
                new ImageChoice(Data.NOTHING, Names.KEPT, 0),
                new ImageChoice(Data.EVERYTHING, Names.KEPT, 0),
                new ImageChoice(Data.SUBSET, Names.RANDOM, 1),
                new ImageChoice(Data.ALL_BUT_ONE, Names.KEPT, 2)));
  }

  /** A program that meets failures and goes on as far as it is let. */
  private final class Program implements CutCampaign.Program {
    private final Setup setup;
    private final int batchPuts;
    private Random random;
    private CrashEngine engine;

    Program(Setup setup, int batchPuts) {
      this.setup = setup;
      this.batchPuts = batchPuts;
    }

    @Override
    public void run(SimulatedDisk disk) {
      random = new Random(SEED);
      session(disk, 14);
      session(disk, 5);
    }

    private void session(SimulatedDisk disk, int steps) {
      engine = CrashEngine.open(disk, setup);
      Throwable problem = null;
      try {
        for (int i = 0; i < steps; i++) {
          step(i);
        }
        engine.verify();
      } catch (RuntimeException | Error e) {
        problem = e;
        throw e;
      } finally {
        closeAfter(problem);
      }
    }

    /** What the last checkpoint could not do is in the log. */
    private void closeAfter(Throwable problem) {
      try {
        engine.engine().close();
      } catch (EngineException e) {
        if (problem != null) {
          problem.addSuppressed(e);
        }
      }
    }

    private void step(int i) {
      if (!engine.model().names().contains("t")) {
        attempt(() -> engine.createTable("t", setup.options().commitLevel()));
      } else if (i == 5) {
        attempt(() -> engine.checkpoint());
      } else if (i == 7) {
        attempt(this::batch);
      } else if (i == 9) {
        attempt(() -> engine.deleteRange("t", key(), null, level()));
      } else if (i == 11 && !engine.model().names().contains("u")) {
        attempt(() -> engine.createTable("u", setup.options().commitLevel()));
      } else {
        attempt(() -> engine.put("t", key(), Keys.value(random), level()));
      }
    }

    private CommitLevel level() {
      CommitLevel[] levels = CommitLevel.values();
      return levels[random.nextInt(levels.length)];
    }

    private byte[] key() {
      return Keys.key(random, 100);
    }

    private void batch() {
      CrashEngine.Batch batch = engine.batch();
      for (int i = 0; i < batchPuts; i++) {
        batch.put("t", Keys.key(random, 20_000), Keys.value(random));
      }
      batch.write(level());
    }

    private void attempt(Runnable operation) {
      boolean refusedBefore = engine.isRefused();
      try {
        operation.run();
        laterCommits.addAndGet(failedCommits.get() > 0 ? 1 : 0);
      } catch (EngineException failure) {
        failedCommits.incrementAndGet();
        refusals.addAndGet(engine.isRefused() && !refusedBefore ? 1 : 0);
        engine.check();
      }
    }
  }

  private void print(String what, Report report) {
    System.out.println(
        "failing calls, "
            + what
            + ": "
            + report
            + ", "
            + failedCommits
            + " operations failed, "
            + refusals
            + " times writing ended");
    assertTrue(report.images() > 0, "no image was opened");
  }

  private Setup setup(CommitLevel level) {
    return Setup.of(CrashEngine.options(level, 8 << 10));
  }

  @ParameterizedTest
  @EnumSource(
      value = CommitLevel.class,
      names = {"NONE", "FSYNC"})
  void everyCallFails(CommitLevel level) {
    Setup setup = setup(level);
    CrashChecker checker = CrashChecker.of(setup);
    for (Effect effect : Effect.values()) {
      for (String errno : new String[] {"EIO", "ENOSPC"}) {
        print(
            level + ", " + errno + ", " + effect,
            campaign(errno.equals("EIO") ? 3 : 7)
                .fail(
                    errno,
                    effect,
                    new Program(setup, 60),
                    checker.afterKill(),
                    checker.afterCut()));
      }
    }
    assertTrue(failedCommits.get() > 0, "no operation ever failed");
    assertTrue(refusals.get() > 0, "no flush that failed ever ended writing");
    assertTrue(laterCommits.get() > 0, "nothing was committed after a failure");
  }

  /** Calls that are no cut points, so that no campaign counts them. */
  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"OPEN", "READ"})
  void opensAndReadsFail(Kind kind) {
    Setup setup = setup(CommitLevel.NONE);
    CrashChecker checker = CrashChecker.of(setup, 1);
    int failed = 0;
    for (int nth = 1; nth <= 40; nth++) {
      try (SimulatedDisk disk = SimulatedDisk.create()) {
        disk.failCall(nth, "EIO", kind);
        try {
          new Program(setup, 60).run(disk);
        } catch (EngineException failure) {
          failed++;
        }
        assertEquals(0, disk.openDescriptors(), kind + " " + nth + ": descriptors left open");
        assertEquals(0, disk.mappedBytes(), kind + " " + nth + ": bytes left mapped");
        try (SimulatedDisk left = SimulatedDisk.from(disk.kill(disk.operationCount()))) {
          checker.afterKill().check(left, disk.marksBefore(disk.operationCount()));
        } catch (Exception | AssertionError problem) {
          throw new AssertionError(kind + " " + nth + ": " + problem, problem);
        }
      }
    }
    System.out.println("failing calls, " + kind + ": " + failed + " opens of a database failed");
    assertTrue(failed > 0, "no open failed");
  }

  /** Commits larger than the pool: writes of evicted pages fail. */
  @ParameterizedTest
  @EnumSource(
      value = CommitLevel.class,
      names = {"NONE", "FSYNC"})
  void writesOfLargeCommitsFail(CommitLevel level) {
    Setup setup = Setup.of(CrashEngine.options(level, 64 << 10));
    CrashChecker checker = CrashChecker.of(setup);
    print(
        "large commits, " + level,
        campaign(19)
            .fail(
                "ENOSPC",
                Effect.PARTIAL,
                new Program(setup, 4000),
                checker.afterKill(),
                checker.afterCut(),
                Kind.WRITE,
                Kind.ALLOCATE,
                Kind.STORE));
  }

  @ParameterizedTest
  @EnumSource(
      value = CommitLevel.class,
      names = {"NONE", "FSYNC"})
  void theProcessStopsAtEveryCall(CommitLevel level) {
    Setup setup = setup(level);
    CrashChecker checker = CrashChecker.of(setup);
    print(
        "stopped, " + level,
        campaign(3).stop(new Program(setup, 60), checker.afterKill(), checker.afterCut()));
  }

  /** A full disk: commits fail, deletes need no room, and with room again all goes on. */
  @ParameterizedTest
  @EnumSource(
      value = CommitLevel.class,
      names = {"NONE", "FSYNC"})
  void fullDisk(CommitLevel level) {
    Setup setup = setup(level);
    CrashChecker checker = CrashChecker.of(setup);
    CutCampaign.Program program = disk -> fillAndGoOn(disk, setup);
    CutCampaign campaign = campaign(3);
    print("full disk, " + level, campaign.cut(program, checker.afterCut()));
    print("full disk, killed, " + level, campaign.kill(program, checker.afterKill()));
  }

  /** Where the log has no room for it, a checkpoint, which has its reserve, frees some. */
  private static void deleteOnFullDisk(CrashEngine engine) {
    try {
      engine.deleteRange("t", new byte[] {'k'}, new byte[] {'l'}, CommitLevel.FSYNC);
    } catch (EngineException full) {
      assertEquals(EngineException.Kind.OUT_OF_SPACE, full.kind());
      engine.checkpoint();
      engine.deleteRange("t", new byte[] {'k'}, new byte[] {'l'}, CommitLevel.FSYNC);
    }
    engine.checkpoint();
    engine.check();
  }

  private void fillAndGoOn(SimulatedDisk disk, Setup setup) {
    Random random = new Random(SEED);
    int failures = 0;
    try (CrashEngine engine = CrashEngine.open(disk, setup)) {
      engine.createTable("t", setup.options().commitLevel());
      for (int i = 0; i < 20; i++) {
        engine.put("t", Keys.key(random, 1000), Keys.value(random), CommitLevel.NONE);
      }
      disk.fullDisk(true);
      for (int i = 0; i < 200 && failures < 3; i++) {
        try {
          byte[] value = new byte[1024];
          engine.put("t", Keys.key(random, 1000), value, CommitLevel.FSYNC);
        } catch (EngineException full) {
          if (full.kind() != EngineException.Kind.OUT_OF_SPACE) {
            throw full;
          }
          failures++;
          engine.check();
        }
      }
      assertTrue(failures == 3, "a full disk took 200 commits");
      deleteOnFullDisk(engine);
      disk.fullDisk(false);
      for (int i = 0; i < 20; i++) {
        engine.put("t", Keys.key(random, 1000), Keys.value(random), CommitLevel.FSYNC);
      }
      engine.check();
      engine.verify();
    }
  }
}
