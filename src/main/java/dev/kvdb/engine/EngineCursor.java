package dev.kvdb.engine;

import dev.kvdb.pager.PageReader;
import dev.kvdb.tree.TreeCursor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Walks over a table as a snapshot shows it, both ways. One thread at a time.
 *
 * <p>It stands on an entry, before the first or behind the last. {@link #next} from before the
 * first is the first entry, from behind the last stays there; {@link #previous} likewise the other
 * way. A seek that finds nothing leaves it behind the last (seeking upward) or before the first
 * (downward).
 */
public final class EngineCursor implements AutoCloseable {
  /** Reads pages for the cursor, and refuses once the snapshot or the database is closed. */
  private static final class Guarded implements PageReader {
    private final EngineSnapshot snapshot;
    private final PageReader pages;

    Guarded(EngineSnapshot snapshot, PageReader pages) {
      this.snapshot = snapshot;
      this.pages = pages;
    }

    @Override
    public MemorySegment memory() {
      return pages.memory();
    }

    @Override
    public long locate(int page, long birth) {
      return pages.locate(page, birth);
    }

    @Override
    public boolean isStable(long offset) {
      return pages.isStable(offset);
    }

    @Override
    public int enter() {
      int token = pages.enter();
      try {
        // Inside the slot: a snapshot closed after this still holds its pages until the exit.
        snapshot.requireOpen();
        return token;
      } catch (RuntimeException closed) {
        pages.exit(token);
        throw closed;
      }
    }

    @Override
    public void exit(int token) {
      pages.exit(token);
    }
  }

  private final Store store;
  private final EngineSnapshot snapshot;
  private final TreeCursor cursor;
  private boolean closed;

  EngineCursor(Store store, EngineSnapshot snapshot, RootEntry root) {
    this.store = store;
    this.snapshot = snapshot;
    this.cursor =
        new TreeCursor(
            new Guarded(snapshot, store.pager),
            root.page,
            root.birth,
            root.height,
            root.openLeaf,
            root.openEntries);
  }

  private void requireOpen() {
    snapshot.requireOpen();
    if (closed) {
      throw new EngineException(
          EngineException.Kind.CLOSED, store.path() + ": the cursor was closed", null);
    }
  }

  /** What was copied out of a leaf is what it was only if the snapshot held the leaf until here. */
  private void requireStillOpen() {
    VarHandle.loadLoadFence();
    snapshot.requireOpen();
  }

  /** Goes to the first entry; false if there is none. */
  public boolean first() {
    requireOpen();
    try {
      return cursor.first();
    } catch (RuntimeException | InternalError problem) {
      throw store.translate(problem);
    }
  }

  /** Goes to the last entry; false if there is none. */
  public boolean last() {
    requireOpen();
    try {
      return cursor.last();
    } catch (RuntimeException | InternalError problem) {
      throw store.translate(problem);
    }
  }

  /** Goes to the next entry; false behind the last one. */
  public boolean next() {
    requireOpen();
    try {
      return cursor.next();
    } catch (RuntimeException | InternalError problem) {
      throw store.translate(problem);
    }
  }

  /** Goes to the entry before; false before the first one. */
  public boolean previous() {
    requireOpen();
    try {
      return cursor.previous();
    } catch (RuntimeException | InternalError problem) {
      throw store.translate(problem);
    }
  }

  /** Goes to the first entry whose key is not below this one. */
  public boolean seekAtLeast(byte[] key) {
    requireOpen();
    try {
      return cursor.seekAtLeast(key);
    } catch (RuntimeException | InternalError problem) {
      throw store.translate(problem);
    }
  }

  /** Goes to the first entry whose key is above this one. */
  public boolean seekAbove(byte[] key) {
    requireOpen();
    try {
      return cursor.seekAbove(key);
    } catch (RuntimeException | InternalError problem) {
      throw store.translate(problem);
    }
  }

  /** Goes to the last entry whose key is not above this one. */
  public boolean seekAtMost(byte[] key) {
    requireOpen();
    try {
      return cursor.seekAtMost(key);
    } catch (RuntimeException | InternalError problem) {
      throw store.translate(problem);
    }
  }

  /** Goes to the last entry whose key is below this one. */
  public boolean seekBelow(byte[] key) {
    requireOpen();
    try {
      return cursor.seekBelow(key);
    } catch (RuntimeException | InternalError problem) {
      throw store.translate(problem);
    }
  }

  /** A copy of the entry's key. */
  public byte[] key() {
    requireOpen();
    try {
      byte[] key = Arrays.copyOf(cursor.keyBuffer(), cursor.keyLength());
      requireStillOpen();
      return key;
    } catch (RuntimeException | InternalError problem) {
      throw store.translate(problem);
    }
  }

  /** A copy of the entry's value. */
  public byte[] value() {
    requireOpen();
    try {
      byte[] value = cursor.copyValue();
      requireStillOpen();
      return value;
    } catch (RuntimeException | InternalError problem) {
      throw store.translate(problem);
    }
  }

  /** The length of the entry's value in bytes. */
  public int valueLength() {
    requireOpen();
    try {
      return (int) cursor.value() & 0xFFFF;
    } catch (RuntimeException | InternalError problem) {
      throw store.translate(problem);
    }
  }

  /** The entry's key in memory that the next move overwrites; read-only. */
  public MemorySegment keyView() {
    requireOpen();
    try {
      return cursor.keyView();
    } catch (RuntimeException | InternalError problem) {
      throw store.translate(problem);
    }
  }

  /**
   * The entry's value, read-only and not copied; good until the next move, and no longer than the
   * snapshot and the database are open.
   */
  public MemorySegment valueView() {
    requireOpen();
    try {
      return cursor.valueView();
    } catch (RuntimeException | InternalError problem) {
      throw store.translate(problem);
    }
  }

  /** Ends the walk; the snapshot stays open. */
  @Override
  public void close() {
    closed = true;
  }
}
