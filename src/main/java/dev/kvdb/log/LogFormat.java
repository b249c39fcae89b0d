package dev.kvdb.log;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.file.Path;

/**
 * Sizes, offsets and names of the log: the one place that knows them, shared by what writes, reads
 * and checks. All numbers are little-endian.
 *
 * <p>A slot file is one block of header, then records, each beginning at a multiple of 8 bytes:
 *
 * <pre>
 * header  0       8         12   16            32         48            56     64          72       76
 *         +-------+---------+----+-------------+----------+-------------+------+-----------+--------+----
 *         | magic | version | 0  | database id | timeline | slot number | salt | slot size | crc32c | 0
 *         +-------+---------+----+-------------+----------+-------------+------+-----------+--------+----
 * record  0        4                  8                12     16    24            32              40
 *         +--------+------------------+----------------+------+-----+-------------+---------------+---------+---
 *         | crc32c | crc32c of the    | payload length | part | lsn | durable lsn | commit number | payload | 0
 *         |        | record before it |                |      |     |             |               |         |
 *         +--------+------------------+----------------+------+-----+-------------+---------------+---------+---
 * </pre>
 *
 * <p>The checksum of a record runs over the salt of its slot and then over the record from byte 4
 * to its padded end. So neither a record of an earlier use of the slot file nor one of another
 * history can be taken for one of this.
 */
public final class LogFormat {
  /** The first eight bytes of a slot file, "kvdbwal" and a zero byte. */
  public static final long MAGIC = 0x006c_6177_6264_766bL;

  /** The version of the format that is written, and the only one that is read. */
  public static final int VERSION = 1;

  /** The size in bytes of the header block; the first record of a slot begins here. */
  public static final int HEADER_BLOCK_BYTES = 4096;

  static final int HEADER_MAGIC = 0;
  static final int HEADER_VERSION = 8;
  static final int HEADER_DATABASE_ID = 16;
  static final int HEADER_TIMELINE = 32;
  static final int HEADER_SLOT_NUMBER = 48;
  static final int HEADER_SALT = 56;
  static final int HEADER_SLOT_BYTES = 64;
  static final int HEADER_CHECKSUM = 72;

  static final int RECORD_CHECKSUM = 0;
  static final int RECORD_PREVIOUS = 4;
  static final int RECORD_PAYLOAD_BYTES = 8;
  static final int RECORD_PART = 12;
  static final int RECORD_LSN = 16;
  static final int RECORD_DURABLE_LSN = 24;
  static final int RECORD_COMMIT = 32;

  /** The size in bytes of what comes before the payload of a record. */
  public static final int RECORD_HEADER_BYTES = 40;

  /** Set in a record's part field: this record is the last of its commit. */
  static final int LAST_PART = 1 << 31;

  /** Records begin at multiples of this. */
  static final int ALIGNMENT = 8;

  /** The longest record in bytes, header and padding included. */
  public static final int RECORD_BYTES_MAX = 64 * 1024;

  /** The longest payload of one record in bytes; a longer one is cut into parts. */
  public static final int PART_BYTES_MAX = RECORD_BYTES_MAX - RECORD_HEADER_BYTES;

  /** A payload is not cut at the end of a slot for a part shorter than this. */
  static final int PART_BYTES_MIN = 64;

  /** The smallest slot in bytes. */
  public static final long SLOT_BYTES_MIN = 2L * HEADER_BLOCK_BYTES;

  /** So many names in a row must be missing before a search for slot files ends. */
  static final int MISSING_NAMES_MAX = 64;

  static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private LogFormat() {}

  /** What a record with so long a payload takes in its slot, in bytes. */
  public static int recordBytes(int payloadBytes) {
    return (RECORD_HEADER_BYTES + payloadBytes + ALIGNMENT - 1) & -ALIGNMENT;
  }

  /**
   * The name of a slot file.
   *
   * @param pageFile the page file
   * @param index 0 or more
   */
  public static Path slotFile(Path pageFile, int index) {
    return pageFile.resolveSibling(pageFile.getFileName() + "-wal-" + index);
  }
}
