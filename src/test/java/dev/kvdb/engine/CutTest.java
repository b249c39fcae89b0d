package dev.kvdb.engine;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.disk.CutCampaign;
import dev.kvdb.disk.CutCampaign.Report;
import dev.kvdb.disk.CutPoints;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Power cuts at every call of the engine, and of its recovery. */
class CutTest {
  private static void print(String what, Report report) {
    System.out.println("cuts, " + what + ": " + report);
    assertTrue(report.images() > 0);
  }

  @ParameterizedTest
  @EnumSource(
      value = CommitLevel.class,
      names = {"NONE", "FSYNC"})
  void cutAtEveryCall(CommitLevel level) {
    CutProgram program = new CutProgram(level.ordinal() + 1, 120, level).withBulk(11, 300);
    print("every call, " + level, CutCampaign.standard().cut(program::run, program::check));
  }

  @ParameterizedTest
  @EnumSource(
      value = CommitLevel.class,
      names = {"NONE", "FSYNC"})
  void killReopenCut(CommitLevel level) {
    CutProgram program = new CutProgram(level.ordinal() + 11, 30, level);
    print(
        "kill, reopen, cut, " + level,
        CutCampaign.standard()
            .withEarlierPoints(CutPoints.sampled(25))
            .withPoints(CutPoints.sampled(20))
            .killReopenCut(program::run, program::run, program::check));
  }

  @Test
  void cutReopenCut() {
    CutProgram program = new CutProgram(21, 30, CommitLevel.NONE);
    print(
        "cut, reopen, cut",
        CutCampaign.standard()
            .withEarlierPoints(CutPoints.sampled(25))
            .withPoints(CutPoints.sampled(10))
            .cutReopenCut(program::run, program::run, program::check));
  }
}
