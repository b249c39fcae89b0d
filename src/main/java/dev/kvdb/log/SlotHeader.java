package dev.kvdb.log;

import static dev.kvdb.log.LogFormat.INT;
import static dev.kvdb.log.LogFormat.LONG;

import dev.kvdb.nativecalls.NativeCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * The header of a slot file.
 *
 * @param number the slot's number: no two preparations of a slot ever took the same
 * @param salt random, mixed into the checksum of every record of the slot
 * @param slotBytes the size of the slot, header included
 */
record SlotHeader(long number, long salt, long slotBytes) {
  /** What the header block of a file says about it. */
  enum Kind {
    /** A slot of this database and timeline. */
    OURS,
    /** Empty, or a header of zeros: a slot that was being made. */
    UNUSED,
    /** Anything else: never replayed, never touched. */
    FOREIGN
  }

  /**
   * What was found at the head of a file.
   *
   * @param header null unless it is ours
   */
  record Found(Kind kind, SlotHeader header) {}

  /** Reads the header block of an open file. */
  static Found read(NativeCalls calls, int descriptor, LogIdentity identity) {
    byte[] block = new byte[LogFormat.HEADER_BLOCK_BYTES];
    int length;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(block.length, Long.BYTES);
      length = (int) calls.read(descriptor, buffer, 0);
      MemorySegment.copy(buffer, ValueLayout.JAVA_BYTE, 0, block, 0, length);
    }
    if (isZero(block)) {
      return new Found(Kind.UNUSED, null);
    }
    SlotHeader header = length == block.length ? decode(block, identity) : null;
    return new Found(header == null ? Kind.FOREIGN : Kind.OURS, header);
  }

  private static boolean isZero(byte[] block) {
    for (byte b : block) {
      if (b != 0) {
        return false;
      }
    }
    return true;
  }

  private static SlotHeader decode(byte[] block, LogIdentity identity) {
    boolean ours =
        (long) LONG.get(block, LogFormat.HEADER_MAGIC) == LogFormat.MAGIC
            && (int) INT.get(block, LogFormat.HEADER_VERSION) == LogFormat.VERSION
            && (int) INT.get(block, LogFormat.HEADER_CHECKSUM) == checksum(block)
            && getId(block, LogFormat.HEADER_DATABASE_ID).equals(identity.databaseId())
            && getId(block, LogFormat.HEADER_TIMELINE).equals(identity.timeline());
    long slotBytes = (long) LONG.get(block, LogFormat.HEADER_SLOT_BYTES);
    if (!ours
        || (long) LONG.get(block, LogFormat.HEADER_SLOT_NUMBER) < 1
        || slotBytes < LogFormat.SLOT_BYTES_MIN
        || slotBytes % LogFormat.HEADER_BLOCK_BYTES != 0) {
      return null;
    }
    return new SlotHeader(
        (long) LONG.get(block, LogFormat.HEADER_SLOT_NUMBER),
        (long) LONG.get(block, LogFormat.HEADER_SALT),
        slotBytes);
  }

  /** The header block as it stands in the file. */
  byte[] encode(LogIdentity identity) {
    byte[] block = new byte[LogFormat.HEADER_BLOCK_BYTES];
    LONG.set(block, LogFormat.HEADER_MAGIC, LogFormat.MAGIC);
    INT.set(block, LogFormat.HEADER_VERSION, LogFormat.VERSION);
    setId(block, LogFormat.HEADER_DATABASE_ID, identity.databaseId());
    setId(block, LogFormat.HEADER_TIMELINE, identity.timeline());
    LONG.set(block, LogFormat.HEADER_SLOT_NUMBER, number);
    LONG.set(block, LogFormat.HEADER_SALT, salt);
    LONG.set(block, LogFormat.HEADER_SLOT_BYTES, slotBytes);
    INT.set(block, LogFormat.HEADER_CHECKSUM, checksum(block));
    return block;
  }

  private static int checksum(byte[] block) {
    CRC32C crc = new CRC32C();
    crc.update(block, 0, LogFormat.HEADER_CHECKSUM);
    return (int) crc.getValue();
  }

  private static UUID getId(byte[] block, int offset) {
    return new UUID((long) LONG.get(block, offset), (long) LONG.get(block, offset + Long.BYTES));
  }

  private static void setId(byte[] block, int offset, UUID id) {
    LONG.set(block, offset, id.getMostSignificantBits());
    LONG.set(block, offset + Long.BYTES, id.getLeastSignificantBits());
  }
}
