package dev.kvdb.engine;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.disk.CutCampaign;
import dev.kvdb.disk.CutCampaign.Report;
import dev.kvdb.disk.CutPoints;
import dev.kvdb.engine.CrashEngine.Setup;
import org.junit.jupiter.api.Test;

/** Random programs of every kind of commit, their power cut or their process killed at any call. */
class CutProgramsTest {
  private static void run(String name, CommitLevel level, long slotBytes, long seed, int stride, int steps, int spread, int batch) {
    long start = System.nanoTime();
    Setup setup = Setup.of(CrashEngine.options(level, slotBytes));
    CrashProgram.Counters counters = new CrashProgram.Counters();
    CrashProgram program = new CrashProgram(setup, seed, steps, spread, batch, counters);
    CutCampaign campaign = CutCampaign.standard().withPoints(CutPoints.every(stride));
    CrashChecker checker = CrashChecker.of(setup);
    Report cuts = campaign.cut(program, checker.afterCut());
    Report kills = campaign.kill(program, checker.afterKill());
    System.out.println(name + " seed " + seed + ": cut " + cuts + " kill " + kills + "; " + counters + " " + (System.nanoTime() - start) / 1000000 + " ms");
  }

  @Test
  void x() {
    for (long seed = 1; seed < Long.getLong("kvdb.seeds", 3); seed++) {
      run("pwrite", CommitLevel.FSYNC, 8 << 10, seed, 29, 150, 200, 60);
      run("mapped", CommitLevel.NONE, 16 << 10, seed, 29, 150, 400, 100);
    }
  }
}
