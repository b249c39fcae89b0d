package dev.kvdb.api;

import static dev.kvdb.api.Bytes.bytes;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.Cursor;
import dev.kvdb.Database;
import dev.kvdb.DatabaseClosedException;
import dev.kvdb.NoSuchTableException;
import dev.kvdb.ReadTransaction;
import dev.kvdb.ReadView;
import dev.kvdb.Table;
import dev.kvdb.TableSnapshot;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Read transactions, and the reads that tables and snapshots share. */
class SnapshotTest {
  @TempDir Path folder;
  private Database database;
  private Table table;

  @BeforeEach
  void open() {
    database = Database.open(folder.resolve("test.kvdb"));
    table = database.table();
    table.put(bytes("a"), bytes("one"));
    table.put(bytes("b"), bytes("two"));
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void aSnapshotStaysWhatItWas() {
    try (ReadTransaction transaction = database.beginRead()) {
      TableSnapshot snapshot = transaction.in(table);
      table.put(bytes("a"), bytes("changed"));
      table.delete(bytes("b"));
      table.put(bytes("c"), bytes("new"));
      assertArrayEquals(bytes("one"), snapshot.get(bytes("a")));
      assertArrayEquals(bytes("two"), snapshot.get(bytes("b")));
      assertFalse(snapshot.contains(bytes("c")));
      assertEquals(2, snapshot.count());
      assertArrayEquals(bytes("changed"), table.get(bytes("a")));
      assertEquals(2, table.count());
      try (ReadTransaction later = database.beginRead()) {
        assertTrue(later.commitNumber() > transaction.commitNumber());
        assertTrue(later.in("default").contains(bytes("c")));
      }
    }
  }

  @Test
  void aCursorOfATableWalksTheMomentItWasMade() {
    try (Cursor cursor = table.cursor()) {
      table.put(bytes("aa"), bytes("between"));
      table.delete(bytes("b"));
      assertTrue(cursor.next());
      assertArrayEquals(bytes("a"), cursor.key());
      assertTrue(cursor.next());
      assertArrayEquals(bytes("b"), cursor.key());
      assertArrayEquals(bytes("two"), cursor.value());
      assertEquals(3, cursor.valueLength());
      assertFalse(cursor.next());
    }
  }

  @Test
  void aValueIsCopiedIntoASegmentAsFarAsItFits() {
    try (ReadTransaction transaction = database.beginRead()) {
      for (ReadView view : List.of(table, transaction.in(table))) {
        byte[] target = new byte[5];
        assertEquals(3, view.get(bytes("a"), MemorySegment.ofArray(target)));
        assertArrayEquals(new byte[] {'o', 'n', 'e', 0, 0}, target);
        byte[] small = new byte[2];
        assertEquals(3, view.get(bytes("b"), MemorySegment.ofArray(small)));
        assertArrayEquals(bytes("tw"), small);
        assertEquals(-1, view.get(bytes("x"), MemorySegment.ofArray(target)));
      }
    }
  }

  @Test
  void aViewIsReadOnlyAndEndsWithItsTransaction() {
    MemorySegment view;
    try (ReadTransaction transaction = database.beginRead()) {
      view = transaction.in(table).getView(bytes("a"));
      assertArrayEquals(bytes("one"), view.toArray(ValueLayout.JAVA_BYTE));
      assertTrue(view.isReadOnly());
      assertNull(transaction.in(table).getView(bytes("x")));
    }
    assertThrows(IllegalStateException.class, () -> view.get(ValueLayout.JAVA_BYTE, 0));
  }

  @Test
  void aViewBelongsToOneThreadAndReadsToAll() {
    try (ReadTransaction transaction = database.beginRead()) {
      TableSnapshot snapshot = transaction.in(table);
      MemorySegment view = snapshot.getView(bytes("a"));
      CompletionException e =
          assertThrows(
              CompletionException.class,
              () -> CompletableFuture.supplyAsync(() -> view.get(ValueLayout.JAVA_BYTE, 0)).join());
      assertInstanceOf(WrongThreadException.class, e.getCause());
      byte[] value = CompletableFuture.supplyAsync(() -> snapshot.get(bytes("a"))).join();
      assertArrayEquals(bytes("one"), value);
    }
  }

  @Test
  void tablesAreThoseOfTheMoment() {
    try (ReadTransaction transaction = database.beginRead()) {
      Table later = database.table("later");
      database.renameTable("default", "renamed");
      assertEquals(List.of("default"), transaction.tableNames());
      assertTrue(transaction.hasTable("default"));
      assertFalse(transaction.hasTable("later"));
      assertThrows(NoSuchTableException.class, () -> transaction.in("later"));
      assertThrows(NoSuchTableException.class, () -> transaction.in(later).get(bytes("a")));
      database.dropTable("renamed");
      assertArrayEquals(bytes("one"), transaction.in("default").get(bytes("a")));
    }
  }

  @Test
  void anEndedTransactionSaysSo() {
    ReadTransaction transaction = database.beginRead();
    TableSnapshot snapshot = transaction.in(table);
    transaction.close();
    transaction.close();
    assertThrows(DatabaseClosedException.class, () -> snapshot.get(bytes("a")));
    assertThrows(DatabaseClosedException.class, () -> snapshot.getView(bytes("a")));
    assertThrows(DatabaseClosedException.class, snapshot::cursor);
  }

  @Test
  void aTableOfAnotherDatabaseIsRefused() {
    try (Database other = Database.open(folder.resolve("other.kvdb"));
        ReadTransaction transaction = database.beginRead()) {
      assertThrows(IllegalArgumentException.class, () -> transaction.in(other.table()));
    }
  }
}
