package dev.kvdb.log;

import static dev.kvdb.log.LogFormat.INT;
import static dev.kvdb.log.LogFormat.LONG;

import java.util.zip.CRC32C;

/** The record at a place of a window: its fields, and whether its checksum is right. */
final class RecordView {
  private final SlotWindow window;
  private final CRC32C crc = new CRC32C();
  private final byte[] salt = new byte[Long.BYTES];

  int checksum;
  int previous;
  int payloadBytes;
  int part;
  long lsn;
  long durableLsn;
  long commit;

  /** Index of the record in the window's bytes. */
  int index;

  RecordView(SlotWindow window) {
    this.window = window;
  }

  /** Index of the payload in the window's bytes. */
  int payloadIndex() {
    return index + LogFormat.RECORD_HEADER_BYTES;
  }

  boolean isLastPart() {
    return (part & LogFormat.LAST_PART) != 0;
  }

  int partIndex() {
    return part & ~LogFormat.LAST_PART;
  }

  /** What the record takes in its slot, in bytes. */
  int bytes() {
    return LogFormat.recordBytes(payloadBytes);
  }

  /**
   * Reads the fields of what stands at an offset of the window's slot.
   *
   * @return false if no record can stand there: it would not fit in the slot
   */
  boolean read(long offset) {
    index = window.find(offset, LogFormat.RECORD_HEADER_BYTES);
    if (index < 0) {
      return false;
    }
    byte[] bytes = window.bytes();
    payloadBytes = (int) INT.get(bytes, index + LogFormat.RECORD_PAYLOAD_BYTES);
    if (payloadBytes < 0 || payloadBytes > LogFormat.PART_BYTES_MAX) {
      return false;
    }
    int here = window.find(offset, bytes());
    if (here < 0) {
      return false;
    }
    index = here;
    checksum = (int) INT.get(bytes, here + LogFormat.RECORD_CHECKSUM);
    previous = (int) INT.get(bytes, here + LogFormat.RECORD_PREVIOUS);
    part = (int) INT.get(bytes, here + LogFormat.RECORD_PART);
    lsn = (long) LONG.get(bytes, here + LogFormat.RECORD_LSN);
    durableLsn = (long) LONG.get(bytes, here + LogFormat.RECORD_DURABLE_LSN);
    commit = (long) LONG.get(bytes, here + LogFormat.RECORD_COMMIT);
    return true;
  }

  /** Whether the checksum of the record last read is right for its slot. */
  boolean isSound() {
    LONG.set(salt, 0, window.slot().salt());
    crc.reset();
    crc.update(salt, 0, Long.BYTES);
    crc.update(
        window.bytes(), index + LogFormat.RECORD_PREVIOUS, bytes() - LogFormat.RECORD_PREVIOUS);
    return (int) crc.getValue() == checksum;
  }
}
