package dev.kvdb;

import dev.kvdb.engine.CommitLevel;
import dev.kvdb.engine.EngineException;
import dev.kvdb.engine.EngineSnapshot;
import dev.kvdb.engine.EngineTable;
import java.lang.foreign.MemorySegment;

/**
 * A named table of a database: reads see the newest published state, each write is a commit of its
 * own. Several changes that belong together go into a {@link WriteBatch}. Safe for use by many
 * threads at once; it needs no closing.
 *
 * <p>A write returns once it is durable at its level and visible to every reader. It throws {@link
 * IllegalArgumentException} for a key or value that is null or above its limit (see {@link
 * Limits}), {@link ReadOnlyDatabaseException}, {@link NoSuchTableException} if the table was
 * dropped, {@link DiskFullException}, {@link WritesRefusedException} and {@link
 * DatabaseClosedException}; it has then changed nothing, except that after a {@code
 * WritesRefusedException} only the next open tells whether the change is there.
 */
public final class Table implements ReadView {
  private final Database database;
  private final EngineTable engineTable;

  Table(Database database, EngineTable engineTable) {
    this.database = database;
    this.engineTable = engineTable;
  }

  @Override
  public String name() {
    return engineTable.name();
  }

  /** The database it belongs to. */
  public Database database() {
    return database;
  }

  @Override
  public byte[] get(byte[] key) {
    Limits.checkKey(key);
    try {
      return database.engine().get(engineTable, key);
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  @Override
  public int get(byte[] key, MemorySegment target) {
    Limits.checkKey(key);
    Limits.checkNotNull("target", target);
    try {
      return database.engine().get(engineTable, key, target);
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  @Override
  public boolean contains(byte[] key) {
    Limits.checkKey(key);
    try {
      return database.engine().contains(engineTable, key);
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  @Override
  public long count() {
    try {
      return database.engine().count(engineTable);
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /** A cursor over a snapshot taken now; closing the cursor releases it. */
  @Override
  public Cursor cursor(KeyRange range) {
    Limits.checkNotNull("range", range);
    try {
      EngineSnapshot snapshot = database.engine().beginSnapshot();
      try {
        return new Cursor(snapshot.cursor(engineTable), range, snapshot);
      } catch (RuntimeException | Error e) {
        snapshot.close();
        throw e;
      }
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /** Stores a value under a key, replacing what was there, at the database's durability. */
  public void put(byte[] key, byte[] value) {
    put(key, value, null);
  }

  /**
   * Stores a value under a key, replacing what was there.
   *
   * @param durability what the commit survives; null for the database's own level
   */
  public void put(byte[] key, byte[] value, Durability durability) {
    Limits.checkKey(key);
    Limits.checkValue(value);
    try {
      database.engine().put(engineTable, key, value, level(durability));
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /**
   * Deletes a key, at the database's durability.
   *
   * @return whether it was there
   */
  public boolean delete(byte[] key) {
    return delete(key, null);
  }

  /**
   * Deletes a key.
   *
   * @param durability what the commit survives; null for the database's own level
   * @return whether it was there
   */
  public boolean delete(byte[] key, Durability durability) {
    Limits.checkKey(key);
    try {
      return database.engine().delete(engineTable, key, level(durability));
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /**
   * Deletes every key of a range, at the database's durability.
   *
   * @return how many there were
   */
  public long deleteRange(KeyRange range) {
    return deleteRange(range, null);
  }

  /**
   * Deletes every key of a range in one commit.
   *
   * @param durability what the commit survives; null for the database's own level
   * @return how many there were
   */
  public long deleteRange(KeyRange range, Durability durability) {
    Limits.checkNotNull("range", range);
    try {
      return database
          .engine()
          .deleteRange(engineTable, range.fromOrNull(), range.toOrNull(), level(durability));
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /**
   * Walks the whole table and reports its shape. Takes as long as reading the table.
   *
   * @return what was found, of one snapshot
   */
  public TableStats stats() {
    try {
      return new TableStats(database.engine().details(engineTable));
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /** The engine's table, for this package. */
  EngineTable engineTable() {
    return engineTable;
  }

  private static CommitLevel level(Durability durability) {
    return Durability.commitLevelOf(durability);
  }

  @Override
  public String toString() {
    return "Table[" + name() + " of " + database.file() + "]";
  }
}
