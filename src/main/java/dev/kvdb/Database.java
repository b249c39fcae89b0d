package dev.kvdb;

import dev.kvdb.engine.Engine;
import dev.kvdb.engine.EngineException;
import dev.kvdb.engine.EngineTable;
import dev.kvdb.nativecalls.NativeCalls;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * An open database. Safe for use by many threads at once; one process has it open for writing, or
 * any number for reading.
 *
 * <p>Except where said otherwise, every method throws {@link DatabaseClosedException} once the
 * database is closed. Commits that returned are never lost by a missing {@link #close()}, but the
 * next open then has log to replay.
 */
public final class Database implements AutoCloseable {
  /** The name of the table that {@link #table()} gives. */
  public static final String DEFAULT_TABLE_NAME = "default";

  private final Engine engine;

  private Database(Engine engine) {
    this.engine = engine;
  }

  /** Opens a database with the default options; see {@link #open(Path, Options)}. */
  public static Database open(Path file) {
    return open(file, Options.defaults());
  }

  /**
   * Opens a database: creates it if it is missing and that is wanted, replays its log if it was not
   * closed cleanly.
   *
   * @param file the page file; its log files lie beside it as {@code FILE-wal-0}, ...
   * @throws DatabaseNotFoundException if there is none and it was not to be created
   * @throws DatabaseLockedException if it is open elsewhere, in this process or another
   * @throws UnsupportedDatabaseException if the file is no database that this version can read
   * @throws CorruptDatabaseException if it is damaged; nothing has been changed then
   * @throws LogMissingException if a log file it needs is missing
   * @throws DiskFullException if there is no room
   * @throws KvdbIOException if a call to the operating system fails
   * @throws IllegalArgumentException if an argument is null or two options contradict each other
   * @throws UnsupportedOperationException if kvdb does not run on this system, or native access is
   *     denied to it; the message says what to do
   */
  public static Database open(Path file, Options options) {
    return open(file, options, NativeCalls.system());
  }

  /**
   * As {@link #open(Path, Options)}, with all calls to the operating system made by {@code calls}.
   */
  static Database open(Path file, Options options, NativeCalls calls) {
    Limits.checkNotNull("file", file);
    Limits.checkNotNull("options", options);
    try {
      return new Database(Engine.open(file, options.checkedEngineOptions(), calls));
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /** The page file. Can be asked after the close too. */
  public Path file() {
    return engine.file();
  }

  /** Whether it was opened read-only. Can be asked after the close too. */
  public boolean isReadOnly() {
    return engine.isReadOnly();
  }

  /** The default table, named {@value #DEFAULT_TABLE_NAME}; see {@link #table(String)}. */
  public Table table() {
    return table(DEFAULT_TABLE_NAME);
  }

  /**
   * The table of a name; made if it is missing, which is a commit of its own.
   *
   * @param name 1 to {@link Limits#TABLE_NAME_BYTES_MAX} bytes of UTF-8
   * @throws NoSuchTableException if it is missing and the database is read-only
   */
  public Table table(String name) {
    Limits.checkTableName(name);
    try {
      EngineTable table = engine.findTable(name);
      if (table == null) {
        if (engine.isReadOnly()) {
          throw noSuchTable(name);
        }
        table = engine.createTable(name);
      }
      return new Table(this, table);
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /** The table of a name, empty if there is none. Never makes one. */
  public Optional<Table> findTable(String name) {
    Limits.checkTableName(name);
    try {
      return Optional.ofNullable(engine.findTable(name)).map(table -> new Table(this, table));
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /** Whether there is a table of that name. */
  public boolean hasTable(String name) {
    return findTable(name).isPresent();
  }

  /** The names of all tables, in order. */
  public List<String> tableNames() {
    try {
      return engine.tables().stream().map(EngineTable::name).toList();
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /**
   * Removes a table with all its entries, in a commit of its own; snapshots keep seeing it.
   *
   * @throws NoSuchTableException if there is none of that name
   * @throws ReadOnlyDatabaseException if the database is read-only
   */
  public void dropTable(String name) {
    Limits.checkTableName(name);
    try {
      engine.dropTable(name);
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /**
   * Gives a table another name, in a commit of its own. Tables that were got by the old name stay
   * usable; snapshots keep seeing the old one.
   *
   * @throws NoSuchTableException if there is none of the old name
   * @throws IllegalArgumentException if there is one of the new name
   * @throws ReadOnlyDatabaseException if the database is read-only
   */
  public void renameTable(String from, String to) {
    Limits.checkTableName(from);
    Limits.checkTableName(to);
    try {
      engine.renameTable(from, to);
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /** Begins a read transaction: a snapshot of the newest published state. Close it after use. */
  public ReadTransaction beginRead() {
    try {
      return new ReadTransaction(this, engine.beginSnapshot());
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /** Makes all changes of a batch, or none, at the database's durability. */
  public void write(WriteBatch batch) {
    write(batch, null);
  }

  /**
   * Makes all changes of a batch, or none. Returns once they are durable and visible. The batch is
   * left as it is and may be written again.
   *
   * @param durability what the commit survives; null for the database's own level
   * @throws IllegalArgumentException if the batch is for another database
   * @throws LimitExceededException if it is larger than the log may be
   * @throws NoSuchTableException if one of its tables was dropped
   * @throws ReadOnlyDatabaseException if the database is read-only
   * @throws DiskFullException if there is no room for it
   * @throws WritesRefusedException if this or an earlier write failed at the disk
   */
  public void write(WriteBatch batch, Durability durability) {
    Limits.checkNotNull("batch", batch);
    try {
      engine.write(batch.operationsFor(this), Durability.commitLevelOf(durability));
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /**
   * Writes all changed pages to the file, flushed as strongly as the system can, so that the log
   * behind it is no longer needed. The database makes checkpoints by itself; this is for those who
   * want one now. Returns once it is durable.
   */
  public void checkpoint() {
    try {
      engine.checkpoint();
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /**
   * Checks every page and every entry, and that all of them fit together. Changes nothing. Takes as
   * long as reading the file.
   *
   * @return everything that is wrong, not only the first thing
   */
  public VerifyReport verify() {
    try {
      return new VerifyReport(engine.verify());
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /** Sizes and counters, cheap to ask for. */
  public DatabaseStats stats() {
    try {
      return new DatabaseStats(engine.stats());
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /**
   * Closes the database: ends what is under way, makes a last checkpoint, gives the lock back.
   * Cursors, transactions and tables of it can no longer be used. A second call does nothing.
   */
  @Override
  public void close() {
    try {
      engine.close();
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /** The engine, for this package. */
  Engine engine() {
    return engine;
  }

  /** The exception for a table that is not there. */
  NoSuchTableException noSuchTable(String name) {
    return new NoSuchTableException(file() + ": there is no table \"" + name + "\"", null);
  }

  @Override
  public String toString() {
    return "Database[" + file() + (isReadOnly() ? ", read-only]" : "]");
  }
}
