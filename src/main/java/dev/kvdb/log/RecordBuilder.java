package dev.kvdb.log;

import static dev.kvdb.log.LogFormat.INT;
import static dev.kvdb.log.LogFormat.LONG;

import java.util.zip.CRC32C;

/**
 * Builds records in one reused array. The salt lies so before the record that one pass of the
 * checksum covers both; the checksum then takes the place of the salt's second half.
 */
final class RecordBuilder {
  /** Index of the record in {@link #bytes}. */
  static final int START = Long.BYTES - LogFormat.RECORD_PREVIOUS;

  final byte[] bytes = new byte[START + LogFormat.RECORD_BYTES_MAX];
  private final CRC32C crc = new CRC32C();
  private int checksum;

  /**
   * Builds one record.
   *
   * @param part its index, with {@link LogFormat#LAST_PART} where it is the last
   * @param length of the payload in bytes, at most {@link LogFormat#PART_BYTES_MAX}
   * @return the length of the record in bytes
   */
  int build(
      long salt,
      int previous,
      int part,
      long lsn,
      long durableLsn,
      long commit,
      byte[] payload,
      int offset,
      int length) {
    byte[] out = bytes;
    int size = LogFormat.recordBytes(length);
    // Zeros to the padding first; the fields and the payload overwrite what else this touches.
    LONG.set(out, START + size - Long.BYTES, 0L);
    LONG.set(out, 0, salt);
    INT.set(out, START + LogFormat.RECORD_PREVIOUS, previous);
    INT.set(out, START + LogFormat.RECORD_PAYLOAD_BYTES, length);
    INT.set(out, START + LogFormat.RECORD_PART, part);
    LONG.set(out, START + LogFormat.RECORD_LSN, lsn);
    LONG.set(out, START + LogFormat.RECORD_DURABLE_LSN, durableLsn);
    LONG.set(out, START + LogFormat.RECORD_COMMIT, commit);
    System.arraycopy(payload, offset, out, START + LogFormat.RECORD_HEADER_BYTES, length);
    crc.reset();
    crc.update(out, 0, START + size);
    checksum = (int) crc.getValue();
    INT.set(out, START, checksum);
    return size;
  }

  /** The checksum of the record last built. */
  int checksum() {
    return checksum;
  }
}
