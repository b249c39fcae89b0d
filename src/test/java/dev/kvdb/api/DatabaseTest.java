package dev.kvdb.api;

import static dev.kvdb.api.Bytes.bytes;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.Cursor;
import dev.kvdb.Database;
import dev.kvdb.DatabaseClosedException;
import dev.kvdb.DatabaseLockedException;
import dev.kvdb.DatabaseNotFoundException;
import dev.kvdb.Durability;
import dev.kvdb.KvdbException;
import dev.kvdb.Limits;
import dev.kvdb.NoSuchTableException;
import dev.kvdb.Options;
import dev.kvdb.ReadOnlyDatabaseException;
import dev.kvdb.ReadTransaction;
import dev.kvdb.Table;
import dev.kvdb.TableSnapshot;
import dev.kvdb.UnsupportedDatabaseException;
import dev.kvdb.WriteBatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Opening, tables, writing and closing. */
class DatabaseTest {
  @TempDir Path folder;
  private Path file;

  @BeforeEach
  void nameFile() {
    file = folder.resolve("test.kvdb");
  }

  @Test
  void whatWasWrittenIsThereAfterTheNextOpen() {
    try (Database database = Database.open(file)) {
      database.table().put(bytes("k"), bytes("v"));
      database.table("other").put(bytes("k"), bytes("w"));
      assertFalse(database.isReadOnly());
    }
    try (Database database = Database.open(file)) {
      assertArrayEquals(bytes("v"), database.table().get(bytes("k")));
      assertArrayEquals(bytes("w"), database.table("other").get(bytes("k")));
      assertEquals(List.of("default", "other"), database.tableNames());
      assertTrue(database.toString().contains("test.kvdb"));
    }
  }

  @ParameterizedTest
  @EnumSource(Durability.class)
  void everyLevelStoresAsDefaultAndForOneCommit(Durability level) {
    try (Database database = Database.open(file, Options.defaults().withDurability(level))) {
      Table table = database.table();
      table.put(bytes("a"), bytes("1"));
      for (Durability other : Durability.values()) {
        table.put(bytes(other.name()), bytes("2"), other);
      }
      assertTrue(table.delete(bytes("a"), level));
      assertFalse(table.delete(bytes("a")));
    }
    try (Database database = Database.open(file)) {
      assertEquals(Durability.values().length, database.table().count());
    }
  }

  @Test
  void aMissingDatabaseIsCreatedOnlyIfWanted() throws IOException {
    Options noCreate = Options.defaults().withCreateIfMissing(false);
    Options readOnly = Options.defaults().withReadOnly(true);
    assertThrows(DatabaseNotFoundException.class, () -> Database.open(file, noCreate));
    assertThrows(DatabaseNotFoundException.class, () -> Database.open(file, readOnly));
    Path noFolder = folder.resolve("none").resolve("test.kvdb");
    assertThrows(DatabaseNotFoundException.class, () -> Database.open(noFolder));
    try (var files = Files.list(folder)) {
      assertEquals(0, files.count());
    }
  }

  @Test
  void oneOpenForWritingExcludesAllOthers() {
    try (Database database = Database.open(file)) {
      database.table();
      assertThrows(DatabaseLockedException.class, () -> Database.open(file));
      assertThrows(
          DatabaseLockedException.class,
          () -> Database.open(file, Options.defaults().withReadOnly(true)));
    }
    Database.open(file).close();
  }

  @Test
  void aFileThatIsNoDatabaseIsUnsupported() throws IOException {
    Files.writeString(file, "no database ".repeat(100));
    KvdbException e = assertThrows(UnsupportedDatabaseException.class, () -> Database.open(file));
    assertTrue(e.getMessage().contains(file.toString()), e.getMessage());
  }

  @Test
  void aReadOnlyDatabaseRefusesEveryChange() {
    try (Database database = Database.open(file)) {
      database.table().put(bytes("k"), bytes("v"));
    }
    try (Database database = Database.open(file, Options.defaults().withReadOnly(true))) {
      Table table = database.table();
      assertArrayEquals(bytes("v"), table.get(bytes("k")));
      assertThrows(ReadOnlyDatabaseException.class, () -> table.put(bytes("k"), bytes("w")));
      assertThrows(ReadOnlyDatabaseException.class, () -> table.delete(bytes("k")));
      WriteBatch batch = new WriteBatch().put(table, bytes("a"), bytes("b"));
      assertThrows(ReadOnlyDatabaseException.class, () -> database.write(batch));
      assertThrows(ReadOnlyDatabaseException.class, () -> database.dropTable("default"));
      assertThrows(NoSuchTableException.class, () -> database.table("none"));
      assertEquals(1, table.count());
    }
  }

  @Test
  void tablesAreFoundRenamedAndDropped() {
    try (Database database = Database.open(file)) {
      assertTrue(database.findTable("a").isEmpty());
      Table table = database.table("a");
      table.put(bytes("k"), bytes("v"));
      assertTrue(database.hasTable("a"));
      database.renameTable("a", "b");
      assertFalse(database.hasTable("a"));
      assertArrayEquals(bytes("v"), database.findTable("b").orElseThrow().get(bytes("k")));
      assertArrayEquals(bytes("v"), table.get(bytes("k")));
      database.table("c");
      assertThrows(IllegalArgumentException.class, () -> database.renameTable("b", "c"));
      assertThrows(NoSuchTableException.class, () -> database.renameTable("a", "d"));
      database.dropTable("b");
      assertThrows(NoSuchTableException.class, () -> database.dropTable("b"));
      assertThrows(NoSuchTableException.class, () -> table.put(bytes("k"), bytes("v")));
      assertEquals(List.of("c"), database.tableNames());
      assertEquals(0, database.table("b").count());
    }
  }

  @Test
  void argumentsAreCheckedBeforeAnythingChanges() {
    try (Database database = Database.open(file)) {
      Table table = database.table();
      byte[] longKey = new byte[Limits.KEY_BYTES_MAX + 1];
      byte[] longValue = new byte[Limits.VALUE_BYTES_MAX + 1];
      IllegalArgumentException e =
          assertThrows(IllegalArgumentException.class, () -> table.put(longKey, bytes("v")));
      assertEquals("the key is 1,001 bytes long, the limit is 1,000", e.getMessage());
      assertThrows(IllegalArgumentException.class, () -> table.put(bytes("k"), longValue));
      assertThrows(IllegalArgumentException.class, () -> table.put(null, bytes("v")));
      assertThrows(IllegalArgumentException.class, () -> table.put(bytes("k"), null));
      assertThrows(IllegalArgumentException.class, () -> table.get(null));
      assertThrows(IllegalArgumentException.class, () -> table.get(bytes("k"), null));
      assertThrows(IllegalArgumentException.class, () -> table.cursor(null));
      assertThrows(IllegalArgumentException.class, () -> table.deleteRange(null));
      assertThrows(IllegalArgumentException.class, () -> database.write(null));
      assertThrows(IllegalArgumentException.class, () -> database.table(""));
      assertThrows(IllegalArgumentException.class, () -> database.table("x".repeat(256)));
      assertEquals(0, table.count());
    }
    assertThrows(IllegalArgumentException.class, () -> Database.open(null));
  }

  @Test
  void theLongestKeyAndValueAreStored() {
    byte[] key = "k".repeat(Limits.KEY_BYTES_MAX).getBytes();
    byte[] value = "v".repeat(Limits.VALUE_BYTES_MAX).getBytes();
    try (Database database = Database.open(file)) {
      database.table().put(key, value);
    }
    try (Database database = Database.open(file)) {
      assertArrayEquals(value, database.table().get(key));
    }
  }

  @Test
  void afterTheCloseEverythingSaysSo() {
    Database database = Database.open(file);
    Table table = database.table();
    table.put(bytes("k"), bytes("v"));
    ReadTransaction transaction = database.beginRead();
    TableSnapshot snapshot = transaction.in(table);
    Cursor cursor = snapshot.cursor();
    database.close();
    database.close();
    assertThrows(DatabaseClosedException.class, () -> table.get(bytes("k")));
    assertThrows(DatabaseClosedException.class, () -> table.put(bytes("k"), bytes("v")));
    assertThrows(DatabaseClosedException.class, () -> database.table("x"));
    assertThrows(DatabaseClosedException.class, database::beginRead);
    assertThrows(DatabaseClosedException.class, database::stats);
    assertThrows(DatabaseClosedException.class, () -> snapshot.get(bytes("k")));
    assertThrows(DatabaseClosedException.class, cursor::first);
    cursor.close();
    transaction.close();
    assertTrue(database.file().endsWith("test.kvdb"));
    Database.open(file).close();
  }

  @Test
  void statsAndVerifyTellWhatIsThere() {
    try (Database database = Database.open(file)) {
      Table table = database.table();
      for (int i = 0; i < 100; i++) {
        table.put(bytes("key" + i), bytes("value"), Durability.NONE);
      }
      database.checkpoint();
      assertEquals(4096, database.stats().pageBytes());
      assertTrue(database.stats().fileBytes() > 0);
      assertEquals(100, table.stats().entries());
      assertEquals(500, table.stats().valueBytes());
      assertTrue(table.stats().height() >= 1);
      assertTrue(database.verify().isClean());
      assertEquals(100, database.verify().entriesChecked());
      assertTrue(database.stats().oldestSnapshot().isEmpty());
    }
  }

  @Test
  void optionsCheckTheirLimits() {
    Options defaults = Options.defaults();
    assertThrows(IllegalArgumentException.class, () -> defaults.withPoolBytes(4096));
    assertThrows(IllegalArgumentException.class, () -> defaults.withLogBytesTrigger(0));
    assertThrows(IllegalArgumentException.class, () -> defaults.withAddressSpaceBytes(32L << 40));
    assertThrows(IllegalArgumentException.class, () -> defaults.withDurability(null));
    Options contradiction =
        defaults.withLogBytesTrigger(defaults.logBytesMax() + 1).withReadOnly(false);
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> Database.open(file, contradiction));
    assertTrue(e.getMessage().contains("logBytesMax"), e.getMessage());
    assertFalse(Files.exists(file));
    Options changed = defaults.withPoolBytes(8 << 20).withDurability(Durability.FULL);
    assertEquals(8 << 20, changed.poolBytes());
    assertEquals(Durability.FULL, changed.durability());
    assertEquals(Durability.FSYNC, defaults.durability());
    assertTrue(changed.toString().contains("poolBytes=8388608"), changed.toString());
  }

  @Test
  void aMissingKeyIsNull() {
    try (Database database = Database.open(file)) {
      assertNull(database.table().get(bytes("k")));
      assertFalse(database.table().contains(bytes("k")));
    }
  }
}
