package dev.kvdb.engine;

import dev.kvdb.disk.CutCampaign;
import dev.kvdb.disk.CutCampaign.Report;
import dev.kvdb.disk.CutPoints;
import dev.kvdb.engine.CrashEngine.Setup;
import org.junit.jupiter.api.Test;

/** Random programs of every kind of commit, their power cut or their process killed at any call. */
class CutProgramsTest {
  private static void run(
      String name,
      CommitLevel level,
      long slotBytes,
      long seed,
      int stride,
      int steps,
      int spread,
      int batch) {
    long start = System.nanoTime();
    Setup setup = Setup.of(CrashEngine.options(level, slotBytes));
    CrashProgram.Counters counters = new CrashProgram.Counters();
    CrashProgram program = new CrashProgram(setup, seed, steps, spread, batch, counters);
    CutCampaign campaign = CutCampaign.standard().withPoints(CutPoints.every(stride));
    CrashChecker checker = CrashChecker.of(setup);
    try {
      Report cuts = campaign.cut(program, checker.afterCut());
      Report kills = campaign.kill(program, checker.afterKill());
      System.out.println(
          name
              + " seed "
              + seed
              + ": cut "
              + cuts
              + " kill "
              + kills
              + "; "
              + counters
              + " "
              + (System.nanoTime() - start) / 1000000
              + " ms");
    } catch (AssertionError e) {
      System.out.println(name + " seed " + seed + " FAILED " + e + " " + counters);
      if (Boolean.getBoolean("kvdb.trace")) e.printStackTrace(System.out);
    }
  }

  @Test
  void x() {
    long first = Long.getLong("kvdb.seed", 1);
    int stride = Integer.getInteger("kvdb.stride", 5);
    for (long seed = first; seed < first + Long.getLong("kvdb.seeds", 3); seed++) {
      run("pwrite", CommitLevel.FSYNC, 8 << 10, seed, stride, 150, 200, 60);
      run("mapped", CommitLevel.NONE, 16 << 10, seed, stride, 150, 400, 100);
      run("pwrite-big", CommitLevel.FSYNC, 64 << 10, seed, stride * 4, 100, 20000, 1500);
      run("mapped-big", CommitLevel.NONE, 32 << 10, seed, stride * 4, 100, 20000, 3000);
    }
  }
}
