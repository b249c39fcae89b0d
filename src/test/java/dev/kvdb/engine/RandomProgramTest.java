package dev.kvdb.engine;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RandomProgramTest {
  private static final int PROGRAMS = Integer.getInteger("kvdb.programs", 30);
  private static final int STEPS = 3000;

  @TempDir Path directory;

  @Test
  void programsAgreeWithTheModelAndMeetEveryEvent() {
    long firstSeed = Long.getLong("kvdb.seed", 1);
    RandomProgram.Counters counters = new RandomProgram.Counters();
    for (long seed = firstSeed; seed < firstSeed + PROGRAMS; seed++) {
      Path path = directory.resolve("program" + seed);
      new RandomProgram(path, seed, counters).run(STEPS);
    }
    System.out.println("random programs: " + PROGRAMS + ", " + counters);
    assertTrue(counters.evictions > 0, "no page was ever evicted");
    assertTrue(counters.triggeredCheckpoints > 0, "no checkpoint was ever triggered");
    assertTrue(counters.slotChanges > 0, "no log slot was ever begun");
    assertTrue(counters.replayedCommits > 0, "no commit was ever replayed");
    assertTrue(counters.merges > 0, "no delete ever gave a page back");
    assertTrue(counters.snapshotChecks > 0, "no snapshot was ever checked");
  }
}
