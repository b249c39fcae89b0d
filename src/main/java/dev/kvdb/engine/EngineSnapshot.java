package dev.kvdb.engine;

import dev.kvdb.engine.EngineException.Kind;
import dev.kvdb.pager.Pager;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The database as it was at one commit number, for as long as this is open.
 *
 * <p>Any thread may read through it. Views of values belong to the thread that asked for the first
 * one; once there are views, that thread has to close the snapshot.
 */
public final class EngineSnapshot implements AutoCloseable {
  private final Store store;
  private final Pager pager;
  private final long number;
  private final ViewCount views;
  private final AtomicBoolean closed = new AtomicBoolean();
  private Arena arena;

  private EngineSnapshot(Store store, ViewCount views, long number) {
    this.store = store;
    this.pager = store.pager;
    this.views = views;
    this.number = number;
  }

  /** Takes a snapshot of the published state. It registers while it holds a reader slot (I-9). */
  static EngineSnapshot begin(Store store, ViewCount views) {
    int token = store.pager.enter();
    try {
      long number = store.published;
      store.pager.snapshots().register(number);
      return new EngineSnapshot(store, views, number);
    } finally {
      store.pager.exit(token);
    }
  }

  /** The number of the newest commit it shows. */
  public long commitNumber() {
    return number;
  }

  void requireOpen() {
    store.requireOpen();
    if (closed.get()) {
      throw new EngineException(
          Kind.CLOSED, store.path() + ": the read transaction was closed (begin another)", null);
    }
  }

  boolean isOpen() {
    return !closed.get();
  }

  private RootEntry root(EngineTable table) {
    requireOpen();
    RootEntry root = table.rootAt(number);
    if (root == null) {
      throw new EngineException(
          Kind.NO_SUCH_TABLE,
          store.path() + ": table " + table.name() + " did not exist yet in this transaction",
          null);
    }
    if (table.isDroppedAt(number)) {
      throw new EngineException(
          Kind.NO_SUCH_TABLE, store.path() + ": table " + table.name() + " was dropped", null);
    }
    return root;
  }

  /** A copy of a value, null if the key is absent. */
  public byte[] get(EngineTable table, byte[] key) {
    int token = pager.enter();
    try {
      return Reads.get(pager, root(table), key);
    } catch (RuntimeException | InternalError problem) {
      throw store.translate(problem);
    } finally {
      pager.exit(token);
    }
  }

  /** Copies as much of a value as fits; returns its length, or -1 if the key is absent. */
  public int get(EngineTable table, byte[] key, MemorySegment target) {
    int token = pager.enter();
    try {
      return Reads.get(pager, root(table), key, target);
    } catch (RuntimeException | InternalError problem) {
      throw store.translate(problem);
    } finally {
      pager.exit(token);
    }
  }

  /** Whether a key is there. */
  public boolean contains(EngineTable table, byte[] key) {
    int token = pager.enter();
    try {
      return Reads.contains(pager, root(table), key);
    } catch (RuntimeException | InternalError problem) {
      throw store.translate(problem);
    } finally {
      pager.exit(token);
    }
  }

  /** How many entries a table has. */
  public long count(EngineTable table) {
    return root(table).count;
  }

  /**
   * A value without copying it, where it lies in the file; a value of a page that was changed
   * lately is copied to memory of this snapshot.
   *
   * @return read-only, good for the calling thread until the snapshot is closed; null if absent
   */
  public MemorySegment view(EngineTable table, byte[] key) {
    Arena owner = arena();
    int token = pager.enter();
    try {
      long found = Reads.locate(pager, root(table), key);
      if (found < 0) {
        return null;
      }
      long offset = Reads.offsetOf(found);
      int length = Reads.lengthOf(found);
      if (pager.isStable(offset)) {
        return store.space.view(offset, length, owner);
      }
      MemorySegment copy = owner.allocate(Math.max(1, length)).asSlice(0, length);
      MemorySegment.copy(pager.memory(), offset, copy, 0, length);
      return copy.asReadOnly();
    } catch (RuntimeException | InternalError problem) {
      throw store.translate(problem);
    } finally {
      pager.exit(token);
    }
  }

  /** The arena of this snapshot's views, made when the first is asked for. */
  private synchronized Arena arena() {
    requireOpen();
    if (arena == null) {
      if (!views.opened()) {
        throw store.closedException();
      }
      arena = Arena.ofConfined();
    }
    return arena;
  }

  /** A cursor over a table, standing before the first entry. One thread at a time. */
  public EngineCursor cursor(EngineTable table) {
    return new EngineCursor(store, this, root(table));
  }

  /** The names the tables had then, in order. */
  public List<String> tableNames() {
    requireOpen();
    return store.tables.namesAt(number);
  }

  /** The table that had a name; null if none had. */
  public EngineTable findTable(String name) {
    requireOpen();
    return store.tables.find(name, number);
  }

  /**
   * Lets go of the state; views die.
   *
   * @throws WrongThreadException if there are views and the calling thread is not theirs
   */
  @Override
  public void close() {
    if (closeViews()) {
      pager.snapshots().release(number);
    }
  }

  /**
   * Before the pages are let go of: a view must not outlive what it shows, and none may be handed
   * out from here on.
   *
   * @return whether this call closed the snapshot
   */
  private synchronized boolean closeViews() {
    if (arena != null && arena.scope().isAlive()) {
      arena.close();
      views.closed();
    }
    return closed.compareAndSet(false, true);
  }
}
