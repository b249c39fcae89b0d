package dev.kvdb.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.nativecalls.NativeCalls;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Memory and disk under pressure: the pool, dead pages, the file's length, many tables. */
@Timeout(120)
class ReuseTest {
  private static final long MIB = 1 << 20;

  @TempDir Path directory;

  private Engine open(EngineOptions options) {
    return Engine.open(directory.resolve("database"), options, NativeCalls.system());
  }

  private static EngineOptions smallPool() {
    return EngineOptions.defaults()
        .withPoolBytes(1)
        .withAddressSpaceBytes(1L << 32)
        .withCommitLevel(CommitLevel.NONE);
  }

  private static byte[] key(int number) {
    return String.format("key%09d", number).getBytes();
  }

  private static byte[] value(int number, int length) {
    byte[] value = new byte[length];
    new Random(number).nextBytes(value);
    return value;
  }

  private static void verify(Engine engine) {
    assertEquals(List.of(), engine.verify().problems());
  }

  @Test
  void aBatchThatDeletesWhatItPutNeedsNoMoreFramesThanThePoolHas() {
    try (Engine engine = open(smallPool())) {
      EngineTable table = engine.createTable("t");
      OperationBuffer batch = new OperationBuffer();
      for (int round = 0; round < 8; round++) {
        for (int i = 0; i < 1000; i++) {
          batch.put(table.id(), key(i), value(i, 500));
        }
        batch.deleteRange(table.id(), null, null);
      }
      batch.put(table.id(), key(7), value(7, 10));
      engine.write(batch, null);
      assertEquals(1, engine.count(table));
      verify(engine);
    }
  }

  // ------------------------------------------------------------------ the pool

  @Test
  void aLoadOfTenTimesThePoolForcesNoCheckpoint() {
    // Neither trigger can be reached: 40 MiB of log and no dead page of a checkpoint.
    try (Engine engine =
        open(smallPool().withPoolBytes(4 * MIB).withLog(1L << 40, 1L << 41, 16 * MIB))) {
      EngineTable table = engine.createTable("t");
      for (int i = 0; i < 40_000; i++) {
        engine.put(table, key(i), value(i, 1000), null);
      }
      EngineStats stats = engine.stats();
      assertTrue(stats.fileBytes() > 10 * stats.poolBytes(), stats.toString());
      assertTrue(stats.evictions() > 5000, stats.toString());
      assertEquals(0, stats.checkpoints());
      verify(engine);
    }
  }

  @Test
  void checkpointsAreTakenWhenTheirTriggersSayAndNoOftener() {
    long trigger = 2 * MIB;
    try (Engine engine = open(smallPool().withLog(trigger, 64 * MIB, MIB))) {
      EngineTable table = engine.createTable("t");
      Random random = new Random(5);
      long logged = 0;
      for (int i = 0; i < 40_000; i++) {
        byte[] value = value(i, 500);
        engine.put(table, key(random.nextInt(20_000)), value, null);
        logged += value.length + 12 + 64;
      }
      long most = logged / trigger + 1;
      // The other trigger: what a checkpoint alone holds reaches 64 MiB or the live bytes.
      assertTrue(engine.triggeredCheckpoints() <= most, most + ", " + engine.stats());
      assertTrue(engine.triggeredCheckpoints() > 0);
      verify(engine);
    }
  }

  // ------------------------------------------------------------------ the file

  @Test
  void theFileShrinksWhenEverythingIsDeleted() {
    try (Engine engine = open(smallPool())) {
      EngineTable table = engine.createTable("t");
      for (int i = 0; i < 20_000; i++) {
        engine.put(table, key(i), value(i, 500), null);
      }
      engine.checkpoint();
      long full = engine.stats().fileBytes();
      assertTrue(full > 10 * MIB, full + " bytes");
      assertEquals(20_000, engine.deleteRange(table, null, null, null));
      engine.checkpoint();
      long empty = engine.stats().fileBytes();
      assertTrue(empty < full / 10, empty + " of " + full + " bytes");
      assertEquals(empty, engine.file().toFile().length());
      verify(engine);
    }
  }

  @Test
  void theFileShrinksWhenAllKeysAreDeletedOneByOne() {
    try (Engine engine = open(smallPool())) {
      EngineTable table = engine.createTable("t");
      for (int i = 0; i < 20_000; i++) {
        engine.put(table, key(i * 7919 % 20_000), value(i, 500), null);
      }
      engine.checkpoint();
      long full = engine.stats().fileBytes();
      for (int i = 0; i < 20_000; i++) {
        assertTrue(engine.delete(table, key(i * 104_729 % 20_000), null));
      }
      engine.checkpoint();
      long empty = engine.stats().fileBytes();
      assertTrue(empty < full / 10, empty + " of " + full + " bytes");
      verify(engine);
    }
  }

  /**
   * With a checkpoint after each round the file stays what it was; left to the triggers, which wait
   * until as much is dead as lives, and to a checkpoint that takes its time beside a busy writer,
   * it must not go on growing.
   */
  @ParameterizedTest
  @CsvSource({"true, 1.3", "false, 3"})
  void puttingAndDeletingAgainAndAgainDoesNotGrowTheFile(boolean checkpoints, double growth) {
    // The triggers are small against the 5 MiB of a round, as they are in a large database.
    try (Engine engine = open(smallPool().withLog(MIB, 8 * MIB, MIB).withDeadBytesTrigger(MIB))) {
      EngineTable table = engine.createTable("t");
      long firstPeak = 0;
      for (int round = 0; round < 20; round++) {
        long peak = 0;
        for (int i = 0; i < 8_000; i++) {
          engine.put(table, key(i), value(i + round, 500), null);
          if (i % 500 == 0) {
            peak = Math.max(peak, engine.stats().fileBytes());
          }
        }
        peak = Math.max(peak, engine.stats().fileBytes());
        if (round % 2 == 0) {
          assertEquals(8_000, engine.deleteRange(table, null, null, null));
        } else {
          for (int i = 0; i < 8_000; i++) {
            engine.delete(table, key(i), null);
          }
        }
        if (round == 0) {
          firstPeak = peak;
        }
        assertTrue(
            peak <= firstPeak * growth,
            "round " + round + ": " + peak + " bytes, in the first " + firstPeak);
        if (checkpoints) {
          engine.checkpoint();
        }
      }
      verify(engine);
    }
  }

  @Test
  void aLongSnapshotHoldsOnlyWhatItShows() {
    try (Engine engine = open(smallPool().withLog(MIB, 8 * MIB, MIB).withDeadBytesTrigger(MIB))) {
      EngineTable table = engine.createTable("t");
      int keys = 4_000;
      rewrite(engine, table, keys, 0);
      engine.checkpoint();
      long live = usedPages(engine);
      EngineSnapshot snapshot = engine.beginSnapshot();
      for (int round = 1; round <= 15; round++) {
        rewrite(engine, table, keys, round);
      }
      engine.checkpoint();
      // What the snapshot shows and what is there now: twice the live pages, and a little. If
      // everything freed since the snapshot were held, it would be fifteen times.
      long held = usedPages(engine);
      assertTrue(held < live * 26 / 10, held + " pages used, live " + live);
      for (int i = 0; i < keys; i += 50) {
        assertEquals(500, snapshot.get(table, key(i)).length);
        assertTrue(Arrays.equals(value(i, 500), snapshot.get(table, key(i))), "" + i);
      }
      long pagesBefore = engine.stats().pages();
      snapshot.close();
      rewrite(engine, table, keys, 16);
      engine.checkpoint();
      long after = usedPages(engine);
      assertTrue(after < live * 15 / 10, after + " pages used after its close, live " + live);
      assertTrue(engine.stats().pages() <= pagesBefore, "the file has grown");
      verify(engine);
    }
  }

  private static void rewrite(Engine engine, EngineTable table, int keys, int round) {
    for (int i = 0; i < keys; i++) {
      engine.put(table, key(i), value(i + round, 500), null);
    }
  }

  private static long usedPages(Engine engine) {
    EngineStats stats = engine.stats();
    return stats.pages() - stats.freePages();
  }

  // ------------------------------------------------------------------ tables

  @Test
  void fiveThousandTablesCostACommitToOneOfThemNothing() {
    int tables = 5_000;
    try (Engine engine = open(smallPool().withLog(64 * MIB, 512 * MIB, 16 * MIB))) {
      for (int i = 0; i < tables; i++) {
        EngineTable table = engine.createTable("table" + i);
        if (i % 10 == 0) {
          engine.put(table, key(i), value(i, 20), null);
        }
      }
      // Names are log records; the catalog is written at checkpoints only.
      EngineStats created = engine.stats();
      assertEquals(0, created.checkpoints());
      assertTrue(created.logBytes() < 2 * MIB, created.toString());
      assertTrue(usedPages(engine) < tables / 10 + 100, created.toString());
      engine.checkpoint();
      long logBefore = engine.stats().logBytes();
      long usedBefore = usedPages(engine);
      EngineTable one = engine.findTable("table4321");
      for (int i = 0; i < 1_000; i++) {
        engine.put(one, key(0), value(i, 20), null);
      }
      // A record and a page a commit, and the page is used again.
      assertTrue(engine.stats().logBytes() - logBefore < 200_000, engine.stats().toString());
      assertTrue(usedPages(engine) - usedBefore < 200, usedPages(engine) + ", " + usedBefore);
    }
    try (Engine engine = open(smallPool())) {
      assertEquals(tables, engine.tables().size());
      for (int i = 0; i < tables; i += 10) {
        EngineTable table = engine.findTable("table" + i);
        assertEquals(1, engine.count(table));
        assertTrue(Arrays.equals(value(i, 20), engine.get(table, key(i))));
      }
      assertEquals(1, engine.count(engine.findTable("table4321")));
      assertEquals(0, engine.count(engine.findTable("table4322")));
      verify(engine);
    }
  }
}
