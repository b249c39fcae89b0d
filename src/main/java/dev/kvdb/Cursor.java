package dev.kvdb;

import dev.kvdb.engine.EngineCursor;
import dev.kvdb.engine.EngineException;
import dev.kvdb.engine.EngineSnapshot;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Walks the entries of a table, or of a range of it, in both directions, over one snapshot.
 *
 * <p>A new cursor stands on no entry: {@link #next()} goes to the first one, {@link #previous()} to
 * the last one. A move that finds no entry returns false and leaves the cursor beyond that end of
 * the range, from where it can turn back. All moves stay within the cursor's range.
 *
 * <pre>{@code
 * try (Cursor cursor = table.cursor(KeyRange.prefix(prefix))) {
 *   while (cursor.next()) {
 *     use(cursor.key(), cursor.value());
 *   }
 * }
 * }</pre>
 *
 * <p>Not safe for use by several threads at once. Moves throw {@link DatabaseClosedException} once
 * the database or the transaction is closed and {@link CorruptDatabaseException} where they meet a
 * damaged page; a key above {@link Limits#KEY_BYTES_MAX} is an {@link IllegalArgumentException}.
 */
public final class Cursor implements AutoCloseable {
  private enum Place {
    NEW,
    BEFORE_FIRST,
    ON_ENTRY,
    BEHIND_LAST,
    CLOSED
  }

  private final EngineCursor cursor;
  private final byte[] from;
  private final byte[] to;
  private final MemorySegment fromSegment;
  private final MemorySegment toSegment;
  private final EngineSnapshot ownSnapshot;
  private Place place = Place.NEW;

  /**
   * @param ownSnapshot a snapshot to be closed with the cursor, null if it belongs to a transaction
   */
  Cursor(EngineCursor cursor, KeyRange range, EngineSnapshot ownSnapshot) {
    this.cursor = cursor;
    this.from = range.fromOrNull();
    this.to = range.toOrNull();
    this.fromSegment = from == null ? null : MemorySegment.ofArray(from);
    this.toSegment = to == null ? null : MemorySegment.ofArray(to);
    this.ownSnapshot = ownSnapshot;
  }

  /** Goes to the first entry of the range; false if the range has none. */
  public boolean first() {
    checkOpen();
    try {
      return settleUpward(from == null ? cursor.first() : cursor.seekAtLeast(from));
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /** Goes to the last entry of the range; false if the range has none. */
  public boolean last() {
    checkOpen();
    try {
      return settleDownward(to == null ? cursor.last() : cursor.seekBelow(to));
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /** Goes to the next entry in key order; false if there is none. */
  public boolean next() {
    checkOpen();
    try {
      return switch (place) {
        case ON_ENTRY -> settleUpward(cursor.next());
        case BEHIND_LAST -> false;
        default -> first();
      };
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /** Goes to the entry before this one in key order; false if there is none. */
  public boolean previous() {
    checkOpen();
    try {
      return switch (place) {
        case ON_ENTRY -> settleDownward(cursor.previous());
        case BEFORE_FIRST -> false;
        default -> last();
      };
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /** Goes to the first entry of the range whose key is at least this one. */
  public boolean seekAtLeast(byte[] key) {
    checkOpen();
    Limits.checkKey(key);
    if (from != null && Limits.isBelow(key, from)) {
      return first();
    }
    try {
      return settleUpward(cursor.seekAtLeast(key));
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /** Goes to the first entry of the range whose key is above this one. */
  public boolean seekAbove(byte[] key) {
    checkOpen();
    Limits.checkKey(key);
    if (from != null && Limits.isBelow(key, from)) {
      return first();
    }
    try {
      return settleUpward(cursor.seekAbove(key));
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /** Goes to the last entry of the range whose key is at most this one. */
  public boolean seekAtMost(byte[] key) {
    checkOpen();
    Limits.checkKey(key);
    if (to != null && !Limits.isBelow(key, to)) {
      return last();
    }
    try {
      return settleDownward(cursor.seekAtMost(key));
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /** Goes to the last entry of the range whose key is below this one. */
  public boolean seekBelow(byte[] key) {
    checkOpen();
    Limits.checkKey(key);
    if (to != null && !Limits.isBelow(key, to)) {
      return last();
    }
    try {
      return settleDownward(cursor.seekBelow(key));
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /** Whether the cursor stands on an entry. */
  public boolean isOnEntry() {
    return place == Place.ON_ENTRY;
  }

  /**
   * The key of this entry.
   *
   * @return a copy
   * @throws IllegalStateException if the cursor stands on no entry
   */
  public byte[] key() {
    checkOnEntry();
    try {
      return cursor.key();
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /**
   * The value of this entry.
   *
   * @return a copy
   * @throws IllegalStateException if the cursor stands on no entry
   */
  public byte[] value() {
    checkOnEntry();
    try {
      return cursor.value();
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /**
   * The length of this entry's value in bytes, without reading it.
   *
   * @throws IllegalStateException if the cursor stands on no entry
   */
  public int valueLength() {
    checkOnEntry();
    try {
      return cursor.valueLength();
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /**
   * The key of this entry without a copy: read-only, valid until the cursor moves or is closed.
   *
   * @throws IllegalStateException if the cursor stands on no entry
   */
  public MemorySegment keyView() {
    checkOnEntry();
    try {
      return cursor.keyView();
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /**
   * The value of this entry without a copy: read-only, valid until the cursor moves or is closed.
   *
   * @throws IllegalStateException if the cursor stands on no entry
   */
  public MemorySegment valueView() {
    checkOnEntry();
    try {
      return cursor.valueView();
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /** Releases the cursor, and the snapshot it took if it took one. A second call does nothing. */
  @Override
  public void close() {
    if (place == Place.CLOSED) {
      return;
    }
    place = Place.CLOSED;
    try {
      try {
        cursor.close();
      } finally {
        if (ownSnapshot != null) {
          ownSnapshot.close();
        }
      }
    } catch (EngineException e) {
      throw Failures.of(e);
    }
  }

  /** After a move toward larger keys: an entry at or above the upper bound is none. */
  private boolean settleUpward(boolean found) {
    boolean inRange = found && (to == null || compare(cursor.keyView(), toSegment) < 0);
    place = inRange ? Place.ON_ENTRY : Place.BEHIND_LAST;
    return inRange;
  }

  /** After a move toward smaller keys: an entry below the lower bound is none. */
  private boolean settleDownward(boolean found) {
    boolean inRange = found && (from == null || compare(cursor.keyView(), fromSegment) >= 0);
    place = inRange ? Place.ON_ENTRY : Place.BEFORE_FIRST;
    return inRange;
  }

  private static int compare(MemorySegment key, MemorySegment bound) {
    long mismatch = key.mismatch(bound);
    if (mismatch < 0) {
      return 0;
    }
    if (mismatch == key.byteSize()) {
      return -1;
    }
    if (mismatch == bound.byteSize()) {
      return 1;
    }
    return Byte.compareUnsigned(
        key.get(ValueLayout.JAVA_BYTE, mismatch), bound.get(ValueLayout.JAVA_BYTE, mismatch));
  }

  private void checkOpen() {
    if (place == Place.CLOSED) {
      throw new DatabaseClosedException("the cursor is closed", null);
    }
  }

  private void checkOnEntry() {
    checkOpen();
    if (place != Place.ON_ENTRY) {
      throw new IllegalStateException("the cursor stands on no entry: move it first");
    }
  }
}
