package dev.kvdb.api;

import static dev.kvdb.api.Bytes.bytes;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.Database;
import dev.kvdb.Durability;
import dev.kvdb.KeyRange;
import dev.kvdb.Limits;
import dev.kvdb.NoSuchTableException;
import dev.kvdb.Table;
import dev.kvdb.WriteBatch;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Batches and range deletes. */
class WriteBatchTest {
  @TempDir Path folder;
  private Database database;
  private Table first;
  private Table second;

  @BeforeEach
  void open() {
    database = Database.open(folder.resolve("test.kvdb"));
    first = database.table("first");
    second = database.table("second");
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void allChangesAreMadeInTheirOrder() {
    second.put(bytes("old"), bytes("x"));
    WriteBatch batch =
        new WriteBatch()
            .put(first, bytes("a"), bytes("1"))
            .put(first, bytes("a"), bytes("2"))
            .put(first, bytes("b"), bytes("3"))
            .delete(first, bytes("b"))
            .deleteRange(second, KeyRange.all())
            .put(second, bytes("new"), bytes("y"));
    assertEquals(6, batch.operationCount());
    assertTrue(batch.byteCount() > 0);
    database.write(batch, Durability.NONE);
    assertArrayEquals(bytes("2"), first.get(bytes("a")));
    assertFalse(first.contains(bytes("b")));
    assertFalse(second.contains(bytes("old")));
    assertTrue(second.contains(bytes("new")));
  }

  @Test
  void keysAndValuesAreCopiedWhenAdded() {
    byte[] key = bytes("k");
    byte[] value = bytes("v");
    WriteBatch batch = new WriteBatch().put(first, key, value);
    key[0] = 'x';
    value[0] = 'x';
    database.write(batch);
    assertArrayEquals(bytes("v"), first.get(bytes("k")));
  }

  @Test
  void aBatchOneOfWhoseTablesIsGoneChangesNothing() {
    WriteBatch batch =
        new WriteBatch().put(first, bytes("k"), bytes("v")).put(second, bytes("k"), bytes("v"));
    database.dropTable("second");
    assertThrows(NoSuchTableException.class, () -> database.write(batch));
    assertEquals(0, first.count());
  }

  @Test
  void anEmptyBatchIsLegalAndAClearedOneCanBeUsedAgain() {
    WriteBatch batch = new WriteBatch();
    database.write(batch);
    batch.put(first, bytes("k"), bytes("v"));
    batch.clear();
    assertTrue(batch.isEmpty());
    database.write(batch);
    assertEquals(0, first.count());
    try (Database other = Database.open(folder.resolve("other.kvdb"))) {
      batch.put(other.table(), bytes("k"), bytes("v"));
      assertThrows(IllegalArgumentException.class, () -> batch.put(first, bytes("k"), bytes("v")));
      assertThrows(IllegalArgumentException.class, () -> database.write(batch));
      other.write(batch);
      other.write(batch);
      assertEquals(1, other.table().count());
    }
  }

  @Test
  void aRefusedChangeLeavesTheBatchAsItWas() {
    WriteBatch batch = new WriteBatch().put(first, bytes("k"), bytes("v"));
    byte[] tooLong = new byte[Limits.KEY_BYTES_MAX + 1];
    assertThrows(IllegalArgumentException.class, () -> batch.put(first, tooLong, bytes("v")));
    assertThrows(IllegalArgumentException.class, () -> batch.delete(first, null));
    assertEquals(1, batch.operationCount());
  }

  @Test
  void aRangeDeleteCountsWhatItTook() {
    for (int i = 0; i < 1000; i++) {
      first.put(bytes(String.format("key%04d", i)), bytes("v"), Durability.NONE);
    }
    KeyRange range = KeyRange.between(bytes("key0100"), bytes("key0900"));
    assertEquals(800, first.deleteRange(range));
    assertEquals(0, first.deleteRange(range));
    assertEquals(0, first.deleteRange(KeyRange.between(bytes("z"), bytes("a"))));
    assertEquals(200, first.count());
    assertEquals(100, first.deleteRange(KeyRange.below(bytes("key0100"))));
    assertEquals(100, first.deleteRange(KeyRange.atLeast(bytes("key0900"))));
  }
}
