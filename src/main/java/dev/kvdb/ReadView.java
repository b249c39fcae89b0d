package dev.kvdb;

import java.lang.foreign.MemorySegment;

/**
 * The entries of one table, for reading: as they are now ({@link Table}), or as they were when a
 * {@link ReadTransaction} began ({@link TableSnapshot}). Safe for use by many threads at once.
 *
 * <p>Every method throws {@link DatabaseClosedException} once the database (or the transaction) is
 * closed, {@link CorruptDatabaseException} where it meets a damaged page, {@link
 * NoSuchTableException} if the table is not there, and {@link IllegalArgumentException} for a key
 * that is null or longer than {@link Limits#KEY_BYTES_MAX}.
 */
public sealed interface ReadView permits Table, TableSnapshot {

  /** The name by which this object was got; a rename since then does not show here. */
  String name();

  /**
   * The value of a key.
   *
   * @return a copy of it, null if the key is not there
   */
  byte[] get(byte[] key);

  /**
   * Copies the value of a key, as far as it fits, to the beginning of a segment.
   *
   * @param target where it goes; at most {@code target.byteSize()} bytes are copied
   * @return the length of the value in bytes, which may be more than was copied; -1 if the key is
   *     not there
   */
  int get(byte[] key, MemorySegment target);

  /** Whether a key is there. */
  boolean contains(byte[] key);

  /** How many entries the table has. */
  long count();

  /** A cursor over all entries. Close it after use. */
  default Cursor cursor() {
    return cursor(KeyRange.all());
  }

  /**
   * A cursor over the entries of a range. It walks one snapshot, whatever is written meanwhile.
   * Close it after use: an open cursor keeps its snapshot's pages from being reused.
   */
  Cursor cursor(KeyRange range);
}
