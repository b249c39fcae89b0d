package dev.kvdb;

import dev.kvdb.engine.EngineException;
import dev.kvdb.engine.EngineSnapshot;
import dev.kvdb.engine.EngineTable;
import java.util.List;

/**
 * A snapshot of the whole database: it stays what it was when it began, whatever is written
 * meanwhile. It neither waits for writers nor holds them up, but the pages it sees cannot be reused
 * until it is closed.
 *
 * <p>Many threads may read through it; views from {@link TableSnapshot#getView} belong to the
 * thread that began it. Close it exactly where it is used up, with try-with-resources.
 */
public final class ReadTransaction implements AutoCloseable {
  private final Database database;
  private final EngineSnapshot snapshot;

  ReadTransaction(Database database, EngineSnapshot snapshot) {
    this.database = database;
    this.snapshot = snapshot;
  }

  /**
   * A table as this snapshot sees it: {@code snapshot.in(users).get(key)}.
   *
   * @param table a table of the same database; reading it throws {@link NoSuchTableException} if it
   *     did not exist yet when the snapshot began
   * @throws IllegalArgumentException if the table belongs to another database
   */
  public TableSnapshot in(Table table) {
    Limits.checkNotNull("table", table);
    if (table.database() != database) {
      throw new IllegalArgumentException(table + " does not belong to " + database.file());
    }
    return new TableSnapshot(snapshot, table.engineTable());
  }

  /**
   * A table as this snapshot sees it, by its name at the time the snapshot began.
   *
   * @throws NoSuchTableException if there was none
   */
  public TableSnapshot in(String tableName) {
    EngineTable table = find(tableName);
    if (table == null) {
      throw database.noSuchTable(tableName);
    }
    return new TableSnapshot(snapshot, table);
  }

  /** Whether there was a table of that name when the snapshot began. */
  public boolean hasTable(String tableName) {
    return find(tableName) != null;
  }

  /** The names of all tables when the snapshot began, in order. */
  public List<String> tableNames() {
    try {
      return snapshot.tableNames();
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /** The number of the newest commit this snapshot sees. */
  public long commitNumber() {
    return snapshot.commitNumber();
  }

  /**
   * Ends the transaction; its views and cursors can no longer be used. A second call does nothing.
   */
  @Override
  public void close() {
    try {
      snapshot.close();
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  private EngineTable find(String tableName) {
    Limits.checkTableName(tableName);
    try {
      return snapshot.findTable(tableName);
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  @Override
  public String toString() {
    return "ReadTransaction[commit " + commitNumber() + " of " + database.file() + "]";
  }
}
