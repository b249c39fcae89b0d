package dev.kvdb;

import dev.kvdb.engine.EngineException;
import dev.kvdb.engine.EngineSnapshot;
import dev.kvdb.engine.EngineTable;
import java.lang.foreign.MemorySegment;

/**
 * A table as it was when a {@link ReadTransaction} began. Safe for use by many threads at once,
 * except {@link #getView}, which belongs to the thread that began the transaction. It ends with its
 * transaction.
 */
public final class TableSnapshot implements ReadView {
  private final EngineSnapshot snapshot;
  private final EngineTable engineTable;

  TableSnapshot(EngineSnapshot snapshot, EngineTable engineTable) {
    this.snapshot = snapshot;
    this.engineTable = engineTable;
  }

  @Override
  public String name() {
    return engineTable.name();
  }

  @Override
  public byte[] get(byte[] key) {
    Limits.checkKey(key);
    try {
      return snapshot.get(engineTable, key);
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  @Override
  public int get(byte[] key, MemorySegment target) {
    Limits.checkKey(key);
    Limits.checkNotNull("target", target);
    try {
      return snapshot.get(engineTable, key, target);
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /**
   * The value of a key where it lies, without a copy.
   *
   * @return a read-only segment, usable only by the thread that began the transaction and only
   *     until it ends (a later use throws {@link IllegalStateException}); null if the key is not
   *     there
   * @throws WrongThreadException if another thread began the transaction
   */
  public MemorySegment getView(byte[] key) {
    Limits.checkKey(key);
    try {
      return snapshot.view(engineTable, key);
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  @Override
  public boolean contains(byte[] key) {
    Limits.checkKey(key);
    try {
      return snapshot.contains(engineTable, key);
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  @Override
  public long count() {
    try {
      return snapshot.count(engineTable);
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /** A cursor over this snapshot. Close it before the transaction ends. */
  @Override
  public Cursor cursor(KeyRange range) {
    Limits.checkNotNull("range", range);
    try {
      return new Cursor(snapshot.cursor(engineTable), range, null);
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  @Override
  public String toString() {
    return "TableSnapshot[" + name() + " at commit " + snapshot.commitNumber() + "]";
  }
}
