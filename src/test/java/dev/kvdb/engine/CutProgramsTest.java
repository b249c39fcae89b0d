package dev.kvdb.engine;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.disk.CutCampaign;
import dev.kvdb.disk.CutCampaign.Program;
import dev.kvdb.disk.CutCampaign.Report;
import dev.kvdb.disk.CutPoints;
import dev.kvdb.disk.Drive;
import dev.kvdb.disk.SimulatedDisk;
import dev.kvdb.engine.CrashEngine.Setup;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Power cuts and kills at the calls of creation, of checkpoints, of random programs of every kind
 * of commit, and of the recovery after them. {@code -Dkvdb.long=true} leaves out no call and takes
 * more seeds; {@code -Dkvdb.seed} moves on to others.
 */
class CutProgramsTest {
  private static final boolean LONG = Boolean.getBoolean("kvdb.long");
  private static final long SEED = Long.getLong("kvdb.seed", 1);
  private static final CrashProgram.Counters COUNTERS = new CrashProgram.Counters();
  private static final byte[] KEY = {7};

  private static int cuts;
  private static int images;

  private static void print(String what, Report report) {
    System.out.println("cuts, " + what + ": " + report);
    assertTrue(report.images() > 0, "no image was opened");
    cuts += report.cuts();
    images += report.images();
  }

  @AfterAll
  static void allEventsCameAbout() {
    System.out.println(
        "cuts, all programs: " + cuts + " cuts, " + images + " images opened; " + COUNTERS);
    assertTrue(COUNTERS.evictions.get() > 0, "no page was evicted");
    assertTrue(COUNTERS.triggeredCheckpoints.get() > 0, "no checkpoint was triggered");
    assertTrue(COUNTERS.slotsBegun.get() > 0, "no log slot was begun");
    assertTrue(COUNTERS.syncedFirstRecords.get() > 0, "no FULL commit was first in a slot");
    assertTrue(COUNTERS.growths.get() > 0, "the page file never grew");
    assertTrue(COUNTERS.replayedCommits.get() > 0, "no commit was replayed by a program");
    assertTrue(COUNTERS.snapshotsChecked.get() > 0, "no snapshot was held");
  }

  private static Setup setup(CommitLevel level, long slotBytes) {
    return Setup.of(CrashEngine.options(level, slotBytes));
  }

  // ------------------------------------------------------------------ every call

  private static void everyCall(String what, Setup setup, Program program) {
    CutCampaign campaign = CutCampaign.standard();
    CrashChecker checker = CrashChecker.of(setup);
    print(what, campaign.cut(program, checker.afterCut()));
    print(what + ", killed", campaign.kill(program, checker.afterKill()));
  }

  @Test
  void creation() {
    Setup setup = setup(CommitLevel.FSYNC, 8 << 10);
    everyCall("creation", setup, disk -> CrashEngine.open(disk, setup).close());
  }

  @ParameterizedTest
  @EnumSource(
      value = CommitLevel.class,
      names = {"NONE", "FSYNC"})
  void checkpointWithoutLog(CommitLevel level) {
    Setup setup = setup(level, 8 << 10);
    everyCall(
        "checkpoint without log, " + level,
        setup,
        disk -> {
          try (CrashEngine engine = CrashEngine.open(disk, setup)) {
            engine.checkpoint();
          }
          try (CrashEngine engine = CrashEngine.open(disk, setup)) {
            engine.createTable("t", level);
          }
        });
  }

  @ParameterizedTest
  @EnumSource(
      value = CommitLevel.class,
      names = {"NONE", "FSYNC"})
  void checkpointWithLog(CommitLevel level) {
    Setup setup = setup(level, 8 << 10);
    everyCall("checkpoint with log, " + level, setup, disk -> putsAndCheckpoints(disk, setup));
  }

  private static void putsAndCheckpoints(SimulatedDisk disk, Setup setup) {
    CommitLevel level = setup.options().commitLevel();
    try (CrashEngine engine = CrashEngine.open(disk, setup)) {
      engine.createTable("t", level);
      for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 6; i++) {
          byte[] key = {(byte) (round % 2), (byte) i};
          engine.put("t", key, new byte[1 + 170 * round], i == 3 ? CommitLevel.FULL : level);
        }
        engine.checkpoint();
        engine.delete("t", new byte[] {(byte) (round % 2), 2}, CommitLevel.NONE);
      }
    }
    try (CrashEngine engine = CrashEngine.open(disk, setup)) {
      engine.put("t", KEY, KEY, level);
    }
  }

  // ------------------------------------------------------------------ random programs

  private static CrashProgram program(
      Setup setup, long seed, int steps, int spread, int batchPutsMax) {
    return new CrashProgram(setup, seed, steps, spread, batchPutsMax, COUNTERS);
  }

  private static void sampled(String what, Setup setup, long seed, int stride, Program program) {
    CutCampaign campaign = CutCampaign.standard().withPoints(CutPoints.every(LONG ? 1 : stride));
    CrashChecker checker = CrashChecker.of(setup);
    print(what + ", seed " + seed, campaign.cut(program, checker.afterCut()));
    print(what + ", seed " + seed + ", killed", campaign.kill(program, checker.afterKill()));
  }

  /** Little data and tiny slots: slot changes, triggered checkpoints, batches over many slots. */
  @ParameterizedTest
  @EnumSource(
      value = CommitLevel.class,
      names = {"NONE", "FSYNC"})
  void smallPrograms(CommitLevel level) {
    int seeds = LONG ? 40 : 2;
    for (long seed = SEED; seed < SEED + seeds; seed++) {
      Setup setup = setup(level, 8 << 10 << seed % 2);
      sampled("small, " + level, setup, seed, 3, program(setup, seed, 150, 300, 60));
    }
  }

  /** Commits larger than the pool: growth, eviction, checkpoints in their midst. */
  @ParameterizedTest
  @EnumSource(
      value = CommitLevel.class,
      names = {"NONE", "FSYNC"})
  void largePrograms(CommitLevel level) {
    int seeds = LONG ? 20 : 2;
    for (long seed = SEED + 4; seed < SEED + 4 + seeds; seed++) {
      Setup setup = setup(level, 32 << 10 << seed % 2);
      sampled("large, " + level, setup, seed, 61, program(setup, seed, 80, 20_000, 3000));
    }
  }

  /** A batch that no pool and no slot holds, over what a snapshot and a checkpoint keep. */
  @Test
  void batchLargerThanPoolAndSlot() {
    Setup setup = setup(CommitLevel.FSYNC, 64 << 10);
    sampled(
        "batch larger than the pool",
        setup,
        0,
        7,
        disk -> {
          try (CrashEngine engine = CrashEngine.open(disk, setup)) {
            engine.createTable("t", CommitLevel.FSYNC);
            putMany(engine, 300, 900, CommitLevel.FSYNC);
            engine.checkpoint();
            EngineSnapshot snapshot = engine.engine().beginSnapshot();
            putMany(engine, 1400, 1000, CommitLevel.FSYNC);
            snapshot.close();
            engine.deleteRange("t", null, number(1200), CommitLevel.NONE);
            engine.put("t", KEY, KEY, CommitLevel.FULL);
            COUNTERS.evictions.addAndGet(engine.engine().stats().evictions());
            assertTrue(engine.engine().stats().evictions() > 0, "no page was evicted");
          }
        });
  }

  private static byte[] number(int i) {
    return String.format("%06d", i).getBytes();
  }

  private static void putMany(CrashEngine engine, int count, int valueBytes, CommitLevel level) {
    CrashEngine.Batch batch = engine.batch();
    for (int i = 0; i < count; i++) {
      byte[] value = new byte[valueBytes];
      Arrays.fill(value, (byte) (i + valueBytes));
      batch.put("t", number(i), value);
    }
    batch.write(level);
  }

  /** On a drive that keeps its cache unless FULL is asked for, weaker levels lose commits only. */
  @ParameterizedTest
  @EnumSource(
      value = CommitLevel.class,
      names = {"NONE", "BARRIER"})
  void driveThatKeepsItsCache(CommitLevel level) {
    Setup setup = setup(level, 8 << 10);
    CutCampaign campaign =
        CutCampaign.standard()
            .withDrive(Drive.DARWIN)
            .withPoints(LONG ? CutPoints.every(1) : CutPoints.every(5));
    CrashChecker checker = CrashChecker.of(setup).on(Drive.DARWIN);
    print(
        "drive that keeps its cache, " + level,
        campaign.cut(program(setup, SEED + 30, 100, 300, 60), checker.afterCut()));
  }

  // ------------------------------------------------------------------ several ends

  private static CutCampaign rounds(int earlier, int points) {
    return CutCampaign.standard()
        .withEarlierPoints(LONG ? CutPoints.every(1) : CutPoints.sampled(earlier))
        .withPoints(LONG ? CutPoints.every(1) : CutPoints.sampled(points));
  }

  @ParameterizedTest
  @EnumSource(
      value = CommitLevel.class,
      names = {"NONE", "FSYNC"})
  void killReopenCut(CommitLevel level) {
    Setup setup = setup(level, 8 << 10);
    print(
        "kill, reopen, cut, " + level,
        rounds(18, 18)
            .killReopenCut(
                program(setup, SEED + 50, 60, 200, 60),
                program(setup, SEED + 51, 6, 200, 20),
                CrashChecker.of(setup).afterCut()));
  }

  @ParameterizedTest
  @EnumSource(
      value = CommitLevel.class,
      names = {"NONE", "FSYNC"})
  void cutRecoveryMoreCommitsCut(CommitLevel level) {
    Setup setup = setup(level, 8 << 10);
    print(
        "cut, recovery, more commits, cut, " + level,
        rounds(14, 14)
            .cutReopenCut(
                program(setup, SEED + 60, 60, 200, 60),
                program(setup, SEED + 61, 6, 200, 20),
                CrashChecker.of(setup).afterCut()));
  }

  @ParameterizedTest
  @EnumSource(
      value = CommitLevel.class,
      names = {"NONE", "FSYNC"})
  void killReopenKillReopenCut(CommitLevel level) {
    Setup setup = setup(level, 8 << 10);
    print(
        "kill, reopen, kill, reopen, cut, " + level,
        rounds(6, 7)
            .killReopenKillReopenCut(
                program(setup, SEED + 70, 40, 200, 60),
                program(setup, SEED + 71, 5, 200, 20),
                CrashChecker.of(setup).afterCut()));
  }
}
