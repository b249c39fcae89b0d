package dev.kvdb.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.disk.SimulatedDisk;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A full disk is a state one can get out of, by deleting or by making room. */
class FullDiskTest {
  private static final EngineOptions OPTIONS =
      EngineOptions.defaults()
          .withPoolBytes(1)
          .withLog(8 << 20, 16 << 20, 1 << 20)
          .withAddressSpaceBytes(1L << 28);

  private static byte[] key(int number) {
    return String.format("key%08d", number).getBytes();
  }

  /** Null if it succeeded, else the kind of failure. */
  private static EngineException.Kind attempt(Runnable action) {
    try {
      action.run();
      return null;
    } catch (EngineException problem) {
      return problem.kind();
    }
  }

  @Test
  void deletesAndCheckpointsGetOutOfIt() {
    try (SimulatedDisk disk = SimulatedDisk.create()) {
      Path path = disk.directory().resolve("db");
      try (Engine engine = Engine.open(path, OPTIONS, disk)) {
        EngineTable table = engine.createTable("t");
        for (int i = 0; i < 100; i++) {
          // A catalog of several pages.
          engine.createTable("x".repeat(200) + i);
        }
        for (int i = 0; i < 4000; i++) {
          engine.put(table, key(i), new byte[900], CommitLevel.NONE);
        }
        engine.checkpoint();
        disk.fullDisk(true);
        int next = 4000;
        while (put(engine, table, next) == null) {
          next++;
        }
        // Deletes copy pages too, and what they free is held by the durable checkpoint.
        int deleted = 0;
        for (; deleted < 2000 && delete(engine, table, deleted * 2) == null; deleted++) {}
        assertEquals(null, attempt(engine::checkpoint), "after " + deleted + " deletes");
        for (int i = 0; i < next; i++) {
          int number = i;
          EngineException.Kind problem = delete(engine, table, number);
          if (problem != null) {
            assertEquals(EngineException.Kind.OUT_OF_SPACE, problem);
            assertEquals(null, attempt(engine::checkpoint), "at " + number);
            assertEquals(null, delete(engine, table, number), "at " + number);
          }
        }
        assertEquals(0, engine.count(table));
        engine.checkpoint();
        assertEquals(null, put(engine, table, 1));
        assertEquals(List.of(), engine.verify().problems());
        disk.fullDisk(false);
      }
      try (Engine again = Engine.open(path, OPTIONS, disk)) {
        assertEquals(1, again.count(again.findTable("t")));
      }
    }
  }

  @Test
  void overwritingGoesOnBecauseAFailureAsksForACheckpoint() throws InterruptedException {
    try (SimulatedDisk disk = SimulatedDisk.create();
        Engine engine = Engine.open(disk.directory().resolve("db"), OPTIONS, disk)) {
      EngineTable table = engine.createTable("t");
      for (int i = 0; i < 1000; i++) {
        engine.put(table, key(i), new byte[900], CommitLevel.NONE);
      }
      // A log that never had a second slot has none to turn to: see DESIGN, section 11.
      while (engine.stats().logFiles() < 2) {
        engine.put(table, key(0), new byte[900], CommitLevel.NONE);
        Thread.sleep(1);
      }
      engine.checkpoint();
      disk.fullDisk(true);
      long checkpoints = engine.stats().checkpoints();
      int failures = 0;
      for (int i = 0; i < 1000; i++) {
        while (put(engine, table, i) != null) {
          failures++;
          Thread.sleep(5);
          assertTrue(failures < 2000, "no room was made");
        }
      }
      assertTrue(failures > 0, "the disk never was full");
      assertTrue(engine.stats().checkpoints() > checkpoints);
      disk.fullDisk(false);
    }
  }

  private static EngineException.Kind put(Engine engine, EngineTable table, int number) {
    return attempt(() -> engine.put(table, key(number), new byte[900], CommitLevel.NONE));
  }

  private static EngineException.Kind delete(Engine engine, EngineTable table, int number) {
    return attempt(() -> engine.delete(table, key(number), CommitLevel.NONE));
  }
}
