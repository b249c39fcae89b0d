package dev.kvdb.log;

import static dev.kvdb.log.LogFormat.INT;
import static dev.kvdb.log.LogFormat.LONG;

/** Logs that no writer writes, for tests that show that the reader's rules matter. */
public final class CraftedLogs {
  private CraftedLogs() {}

  /**
   * Appends to the only slot of a log the first part of a commit that has no other, and behind it a
   * whole commit.
   *
   * @param slot the slot file
   * @return the slot file with both
   */
  public static byte[] withUnfinishedBatch(byte[] slot, byte[] unfinished, byte[] whole) {
    byte[] bytes = slot.clone();
    long salt = (long) LONG.get(bytes, LogFormat.HEADER_SALT);
    int at = LogFormat.HEADER_BLOCK_BYTES;
    int last = -1;
    while ((long) LONG.get(bytes, at + LogFormat.RECORD_LSN) > 0) {
      last = at;
      at += LogFormat.recordBytes((int) INT.get(bytes, at + LogFormat.RECORD_PAYLOAD_BYTES));
    }
    int chain = (int) INT.get(bytes, last + LogFormat.RECORD_CHECKSUM);
    long lsn = (long) LONG.get(bytes, last + LogFormat.RECORD_LSN);
    long durable = (long) LONG.get(bytes, last + LogFormat.RECORD_DURABLE_LSN);
    long commit = (long) LONG.get(bytes, last + LogFormat.RECORD_COMMIT);
    RecordBuilder builder = new RecordBuilder();
    int length =
        builder.build(
            salt, chain, 0, lsn + 1, durable, commit + 1, unfinished, 0, unfinished.length);
    System.arraycopy(builder.bytes, RecordBuilder.START, bytes, at, length);
    at += length;
    int next =
        builder.build(
            salt,
            builder.checksum(),
            LogFormat.LAST_PART,
            lsn + 2,
            durable,
            commit + 2,
            whole,
            0,
            whole.length);
    System.arraycopy(builder.bytes, RecordBuilder.START, bytes, at, next);
    return bytes;
  }

  /** The longest payload of one record, for commits that are to have a certain number of parts. */
  public static int partBytesMax() {
    return LogFormat.PART_BYTES_MAX;
  }
}
