package dev.kvdb;

import dev.kvdb.engine.OperationBuffer;

/**
 * Changes to any tables of one database that are made together: {@link Database#write(WriteBatch)}
 * makes all of them visible and durable at once, or none. They take effect in the order in which
 * they were added. Keys and values are copied when they are added.
 *
 * <p>A batch belongs to no database until its first change names a table; {@link #clear()} frees it
 * again, and keeps its memory for the next use. Not safe for use by several threads at once.
 */
public final class WriteBatch {
  private final OperationBuffer operations = new OperationBuffer();
  private Database database;

  /** Makes an empty batch. */
  public WriteBatch() {}

  /**
   * Adds: store a value under a key, replacing what is there.
   *
   * @return this batch
   * @throws IllegalArgumentException if a key or value is null or above its limit, or the table
   *     belongs to another database than the batch's other changes
   */
  public WriteBatch put(Table table, byte[] key, byte[] value) {
    Limits.checkKey(key);
    Limits.checkValue(value);
    operations.put(idOf(table), key, value);
    return this;
  }

  /**
   * Adds: delete a key, if it is there.
   *
   * @return this batch
   * @throws IllegalArgumentException as for {@link #put}
   */
  public WriteBatch delete(Table table, byte[] key) {
    Limits.checkKey(key);
    operations.delete(idOf(table), key);
    return this;
  }

  /**
   * Adds: delete every key of a range.
   *
   * @return this batch
   * @throws IllegalArgumentException as for {@link #put}
   */
  public WriteBatch deleteRange(Table table, KeyRange range) {
    Limits.checkNotNull("range", range);
    operations.deleteRange(idOf(table), range.fromOrNull(), range.toOrNull());
    return this;
  }

  /** How many changes it holds. */
  public int operationCount() {
    return operations.operationCount();
  }

  /** How many bytes its changes take in the log. */
  public long byteCount() {
    return operations.byteCount();
  }

  /** Whether it holds no change. */
  public boolean isEmpty() {
    return operationCount() == 0;
  }

  /** Forgets all changes. */
  public void clear() {
    operations.clear();
    database = null;
  }

  /**
   * The changes, for a database to write.
   *
   * @throws IllegalArgumentException if they are for another database
   */
  OperationBuffer operationsFor(Database target) {
    if (database != null && database != target) {
      throw new IllegalArgumentException(
          "the batch holds changes to " + database.file() + ", not to " + target.file());
    }
    return operations;
  }

  private int idOf(Table table) {
    Limits.checkNotNull("table", table);
    if (database == null) {
      database = table.database();
    } else if (database != table.database()) {
      throw new IllegalArgumentException(
          "the batch holds changes to " + database.file() + ", not to " + table.database().file());
    }
    return table.engineTable().id();
  }

  @Override
  public String toString() {
    return "WriteBatch[" + operationCount() + " operations, " + byteCount() + " bytes]";
  }
}
