package dev.kvdb.api;

import static dev.kvdb.api.Bytes.bytes;
import static dev.kvdb.api.Bytes.text;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.Cursor;
import dev.kvdb.Database;
import dev.kvdb.DatabaseClosedException;
import dev.kvdb.Durability;
import dev.kvdb.KeyRange;
import dev.kvdb.Table;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Cursors: places beyond the ends, and random walks in random ranges against a TreeMap. */
class CursorTest {
  @TempDir Path folder;
  private Database database;
  private Table table;

  @BeforeEach
  void open() {
    database = Database.open(folder.resolve("test.kvdb"));
    table = database.table();
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void itTurnsBackBeyondEachEnd() {
    for (String key : new String[] {"a", "b", "c"}) {
      table.put(bytes(key), bytes("value of " + key));
    }
    try (Cursor cursor = table.cursor()) {
      assertFalse(cursor.isOnEntry());
      assertThrows(IllegalStateException.class, cursor::key);
      assertTrue(cursor.previous());
      assertEquals("c", text(cursor.key()));
      assertFalse(cursor.next());
      assertFalse(cursor.next());
      assertThrows(IllegalStateException.class, cursor::value);
      assertTrue(cursor.previous());
      assertEquals("c", text(cursor.key()));
      assertTrue(cursor.first());
      assertFalse(cursor.previous());
      assertFalse(cursor.previous());
      assertTrue(cursor.next());
      assertEquals("a", text(cursor.key()));
      assertEquals("value of a", text(cursor.valueView().toArray(ValueLayout.JAVA_BYTE)));
      assertEquals("a", text(cursor.keyView().toArray(ValueLayout.JAVA_BYTE)));
    }
  }

  @Test
  void aClosedCursorSaysSo() {
    Cursor cursor = table.cursor();
    cursor.close();
    cursor.close();
    assertThrows(DatabaseClosedException.class, cursor::next);
    assertThrows(DatabaseClosedException.class, cursor::key);
  }

  @Test
  void anEmptyTableHasNoEntries() {
    try (Cursor cursor = table.cursor()) {
      assertFalse(cursor.next());
      assertFalse(cursor.previous());
      assertFalse(cursor.seekAtLeast(bytes("")));
      assertFalse(cursor.seekAtMost(bytes("x")));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void randomWalksAgreeWithATreeMap(long seed) {
    Random random = new Random(seed);
    TreeMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
    for (int i = 0; i < 800; i++) {
      byte[] key = randomKey(random);
      byte[] value = bytes("value " + i);
      model.put(key, value);
      table.put(key, value, Durability.NONE);
    }
    for (int walk = 0; walk < 30; walk++) {
      KeyRange range = randomRange(random);
      String context = "seed " + seed + ", walk " + walk + ", " + range;
      try (Cursor cursor = table.cursor(range)) {
        walk(cursor, within(model, range), random, context);
      }
    }
  }

  private static void walk(
      Cursor cursor, NavigableMap<byte[], byte[]> model, Random random, String context) {
    byte[] place = null;
    for (int step = 0; step < 60; step++) {
      byte[] key = randomKey(random);
      int move = random.nextInt(8);
      byte[] expected =
          switch (move) {
            case 0 -> model.isEmpty() ? null : model.firstKey();
            case 1 -> model.isEmpty() ? null : model.lastKey();
            case 2 -> model.ceilingKey(key);
            case 3 -> model.higherKey(key);
            case 4 -> model.floorKey(key);
            case 5 -> model.lowerKey(key);
            case 6 -> place == null ? null : model.higherKey(place);
            default -> place == null ? null : model.lowerKey(place);
          };
      if (place == null && move >= 6) {
        continue;
      }
      boolean found =
          switch (move) {
            case 0 -> cursor.first();
            case 1 -> cursor.last();
            case 2 -> cursor.seekAtLeast(key);
            case 3 -> cursor.seekAbove(key);
            case 4 -> cursor.seekAtMost(key);
            case 5 -> cursor.seekBelow(key);
            case 6 -> cursor.next();
            default -> cursor.previous();
          };
      assertEquals(expected != null, found, context + ", step " + step + ", move " + move);
      place = expected;
      if (found) {
        assertArrayEquals(expected, cursor.key(), context);
        assertArrayEquals(model.get(expected), cursor.value(), context);
      }
    }
  }

  private static NavigableMap<byte[], byte[]> within(
      TreeMap<byte[], byte[]> model, KeyRange range) {
    NavigableMap<byte[], byte[]> part = new TreeMap<>(Arrays::compareUnsigned);
    model.forEach(
        (key, value) -> {
          if (range.contains(key)) {
            part.put(key, value);
          }
        });
    return part;
  }

  private static KeyRange randomRange(Random random) {
    return switch (random.nextInt(5)) {
      case 0 -> KeyRange.all();
      case 1 -> KeyRange.atLeast(randomKey(random));
      case 2 -> KeyRange.below(randomKey(random));
      case 3 -> KeyRange.prefix(Arrays.copyOf(randomKey(random), 1));
      default -> KeyRange.between(randomKey(random), randomKey(random));
    };
  }

  /** Few different bytes, so that keys share prefixes and are hit by seeks; 0xFF for overflow. */
  private static byte[] randomKey(Random random) {
    byte[] alphabet = {0, 'a', 'b', (byte) 0x80, (byte) 0xFF};
    byte[] key = new byte[random.nextInt(7)];
    for (int i = 0; i < key.length; i++) {
      key[i] = alphabet[random.nextInt(alphabet.length)];
    }
    return key;
  }
}
