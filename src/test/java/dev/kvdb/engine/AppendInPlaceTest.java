package dev.kvdb.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.disk.Kind;
import dev.kvdb.disk.SimulatedDisk;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rows of single puts, each behind the last, change a leaf in place (I-21): who sees what. */
class AppendInPlaceTest {
  private static final EngineOptions OPTIONS =
      EngineOptions.defaults().withPoolBytes(4 << 20).withAddressSpaceBytes(1L << 28);

  private SimulatedDisk disk;
  private Path path;
  private Engine engine;
  private EngineTable table;

  @BeforeEach
  void open() {
    disk = SimulatedDisk.create();
    path = disk.directory().resolve("db");
    engine = Engine.open(path, OPTIONS, disk);
    table = engine.createTable("t");
  }

  @AfterEach
  void close() {
    engine.close();
    disk.close();
  }

  private static byte[] key(int number) {
    return String.format("key%06d", number).getBytes();
  }

  private static byte[] value(int number) {
    return ("value of " + number).getBytes();
  }

  private void put(int number) {
    engine.put(table, key(number), value(number), CommitLevel.NONE);
  }

  private void assertShows(EngineSnapshot snapshot, int from, int to) {
    assertEquals(to - from, snapshot.count(table));
    EngineCursor cursor = snapshot.cursor(table);
    for (int i = from; i < to; i++) {
      assertTrue(cursor.next());
      assertArrayEquals(key(i), cursor.key());
      assertArrayEquals(value(i), cursor.value());
    }
    assertFalse(cursor.next());
    assertTrue(cursor.previous());
    assertArrayEquals(key(to - 1), cursor.key());
    assertFalse(cursor.seekAtLeast(key(to)));
    assertTrue(cursor.seekAtMost(key(to + 5)));
    assertArrayEquals(key(to - 1), cursor.key());
    assertNull(snapshot.get(table, key(to)));
    assertArrayEquals(value(to - 1), snapshot.get(table, key(to - 1)));
  }

  @Test
  void eachSnapshotShowsItsOwnEntries() {
    List<EngineSnapshot> snapshots = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      put(i);
      snapshots.add(engine.beginSnapshot());
      if (i % 97 == 0) {
        engine.checkpoint();
      }
      if (i % 89 == 0) {
        assertEquals(List.of(), engine.verify().problems());
      }
    }
    engine.checkpoint();
    for (int i = 0; i < 400; i++) {
      assertShows(snapshots.get(i), 0, i + 1);
      snapshots.get(i).close();
    }
    assertEquals(List.of(), engine.verify().problems());
  }

  @Test
  void rowsInTheMiddleStayBelowTheNextLeaf() {
    for (int i = 1000; i < 1400; i++) {
      put(i);
    }
    for (int i = 0; i < 900; i++) {
      put(i);
    }
    for (int i = 1399; i < 1500; i++) {
      put(i);
    }
    assertEquals(List.of(), engine.verify().problems());
    for (int i = 0; i < 1500; i++) {
      byte[] found = engine.get(table, key(i));
      if (i >= 900 && i < 1000) {
        assertNull(found);
      } else {
        assertArrayEquals(value(i), found);
      }
    }
  }

  @Test
  void failedCommitLeavesNothingBehind() {
    for (int i = 0; i < 60; i++) {
      put(i);
      disk.failCall(1, "EIO", Kind.WRITE);
      int next = i + 1;
      assertThrows(EngineException.class, () -> put(next));
      disk.clearFailures();
      assertNull(engine.get(table, key(next)));
      assertEquals(next, engine.count(table));
    }
    assertEquals(List.of(), engine.verify().problems());
    try (EngineSnapshot snapshot = engine.beginSnapshot()) {
      assertShows(snapshot, 0, 60);
    }
    engine.close();
    engine = Engine.open(path, OPTIONS, disk);
    table = engine.findTable("t");
    assertNotNull(table);
    assertEquals(60, engine.count(table));
    assertEquals(List.of(), engine.verify().problems());
  }

  @Test
  void otherChangesBetweenAppends() {
    for (int i = 0; i < 200; i++) {
      put(i);
      if (i % 3 == 0) {
        engine.put(table, key(i), value(i), CommitLevel.NONE);
      }
      if (i % 7 == 0) {
        engine.put(table, key(i), "of another length".getBytes(), CommitLevel.NONE);
        put(i);
      }
      if (i % 5 == 0) {
        assertTrue(engine.delete(table, key(i), CommitLevel.NONE));
        put(i);
      }
    }
    try (EngineSnapshot snapshot = engine.beginSnapshot()) {
      assertShows(snapshot, 0, 200);
    }
    assertEquals(List.of(), engine.verify().problems());
    assertEquals(200, engine.details(table).entries());
  }

  @Test
  void readersBesideAppendsSeeWholeStates() throws InterruptedException {
    int entries = 20_000;
    put(0);
    Thread writer =
        new Thread(
            () -> {
              for (int i = 1; i < entries; i++) {
                put(i);
              }
            });
    writer.start();
    long seen = 0;
    while (seen < entries) {
      try (EngineSnapshot snapshot = engine.beginSnapshot()) {
        seen = snapshot.count(table);
        int last = (int) seen - 1;
        assertArrayEquals(value(last), snapshot.get(table, key(last)));
        assertNull(snapshot.get(table, key(last + 1)));
        EngineCursor cursor = snapshot.cursor(table);
        assertTrue(cursor.last());
        assertArrayEquals(key(last), cursor.key());
        assertArrayEquals(value(last), cursor.value());
        int from = Math.max(0, last - 50);
        assertTrue(cursor.seekAtLeast(key(from)));
        for (int i = from; i <= last; i++) {
          assertArrayEquals(key(i), cursor.key());
          assertEquals(i < last, cursor.next());
        }
      }
    }
    writer.join();
    assertEquals(List.of(), engine.verify().problems());
  }

  @Test
  void leafWithoutFenceTakesNothingThatBelongsToTheNext() {
    for (int i = 0; i < 1400; i++) {
      put(i);
    }
    engine.deleteRange(table, key(500), key(800), CommitLevel.NONE);
    put(799);
    byte[] between = "key000805+".getBytes();
    engine.put(table, between, value(0), CommitLevel.NONE);
    assertArrayEquals(value(0), engine.get(table, between));
    assertEquals(List.of(), engine.verify().problems());
  }

  /**
   * What a durable checkpoint holds must not change, nor what one that has begun may be writing.
   */
  @Test
  void checkpointEndsARow() {
    put(0);
    put(1);
    assertTrue(table.appendableLeaf != 0);
    engine.checkpoint();
    assertEquals(0, table.appendableLeaf);
  }
}
