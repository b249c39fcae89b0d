package dev.kvdb.pager;

import dev.kvdb.page.PageFormat;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * What a meta page says: the root of everything.
 *
 * @param databaseHigh first half of the random number this database was created with
 * @param databaseLow its second half
 * @param timelineHigh first half of the number renewed whenever the file becomes another history
 * @param timelineLow its second half
 * @param nextCommitNumber above every number used under this meta; the larger one is the newer meta
 * @param checkpointNumber the number of the checkpoint this meta made durable
 * @param catalogPage first page of the catalog, 0 if there is none
 * @param catalogBirth the number that page bears
 * @param pageCount one past the last page that the checkpoint's own map marks
 * @param nextTableId the id of the next table created
 * @param clean whether the database was closed cleanly, or just created
 * @param nextLsn the sequence number of the next log record
 * @param nextSlotNumber above the number of every log slot ever made
 * @param log where replay begins; null if there is no log
 * @param checkpointMillis when the checkpoint was taken, in milliseconds since 1970
 */
public record Meta(
    long databaseHigh,
    long databaseLow,
    long timelineHigh,
    long timelineLow,
    long nextCommitNumber,
    long checkpointNumber,
    int catalogPage,
    long catalogBirth,
    int pageCount,
    int nextTableId,
    boolean clean,
    long nextLsn,
    long nextSlotNumber,
    LogStart log,
    long checkpointMillis) {

  /** The same state with another next commit number. */
  Meta withNextCommitNumber(long number) {
    return new Meta(
        databaseHigh,
        databaseLow,
        timelineHigh,
        timelineLow,
        number,
        checkpointNumber,
        catalogPage,
        catalogBirth,
        pageCount,
        nextTableId,
        clean,
        nextLsn,
        nextSlotNumber,
        log,
        checkpointMillis);
  }

  /**
   * The same state with a log, and no longer clean.
   *
   * @param nextNumber the next commit number, larger than before
   */
  public Meta withLog(LogStart start, long nextNumber, long nextLogLsn, long nextSlot) {
    return new Meta(
        databaseHigh,
        databaseLow,
        timelineHigh,
        timelineLow,
        nextNumber,
        checkpointNumber,
        catalogPage,
        catalogBirth,
        pageCount,
        nextTableId,
        false,
        nextLogLsn,
        nextSlot,
        start,
        checkpointMillis);
  }

  /** The whole page as it is written. */
  byte[] encode() {
    byte[] page = new byte[PageFormat.PAGE_BYTES];
    ByteBuffer b = ByteBuffer.wrap(page).order(ByteOrder.LITTLE_ENDIAN);
    b.putLong(FileFormat.META_MAGIC, FileFormat.MAGIC);
    b.putInt(FileFormat.META_VERSION, FileFormat.VERSION);
    b.putInt(FileFormat.META_PAGE_BYTES, PageFormat.PAGE_BYTES);
    b.putLong(FileFormat.META_DATABASE_ID, databaseHigh);
    b.putLong(FileFormat.META_DATABASE_ID + Long.BYTES, databaseLow);
    b.putLong(FileFormat.META_TIMELINE, timelineHigh);
    b.putLong(FileFormat.META_TIMELINE + Long.BYTES, timelineLow);
    b.putLong(FileFormat.META_NEXT_COMMIT_NUMBER, nextCommitNumber);
    b.putLong(FileFormat.META_CHECKPOINT_NUMBER, checkpointNumber);
    b.putInt(FileFormat.META_CATALOG_PAGE, catalogPage);
    b.putLong(FileFormat.META_CATALOG_BIRTH, catalogBirth);
    b.putInt(FileFormat.META_PAGE_COUNT, pageCount);
    b.putInt(FileFormat.META_NEXT_TABLE_ID, nextTableId);
    b.putInt(
        FileFormat.META_FLAGS,
        (clean ? FileFormat.FLAG_CLEAN : 0) | (log != null ? FileFormat.FLAG_NAMES_LOG : 0));
    b.putLong(FileFormat.META_NEXT_LSN, nextLsn);
    b.putLong(FileFormat.META_NEXT_SLOT_NUMBER, nextSlotNumber);
    if (log != null) {
      b.putLong(FileFormat.META_LOG_SLOT_NUMBER, log.slotNumber());
      b.putLong(FileFormat.META_LOG_SLOT_SALT, log.slotSalt());
      b.putLong(FileFormat.META_LOG_OFFSET, log.offset());
      b.putInt(FileFormat.META_LOG_CHAIN, log.chain());
    }
    b.putLong(FileFormat.META_CHECKPOINT_MILLIS, checkpointMillis);
    b.putInt(FileFormat.META_CHECKSUM, checksum(page));
    return page;
  }

  private static int checksum(byte[] page) {
    CRC32C crc = new CRC32C();
    crc.update(page, 0, FileFormat.META_CHECKSUM);
    return (int) crc.getValue();
  }

  /** Whether bytes begin as every kvdb page file does, whatever its version. */
  static boolean hasMagic(byte[] page) {
    return ByteBuffer.wrap(page).order(ByteOrder.LITTLE_ENDIAN).getLong(FileFormat.META_MAGIC)
        == FileFormat.MAGIC;
  }

  /** The format version that bytes with the right magic name. */
  static int version(byte[] page) {
    return ByteBuffer.wrap(page).order(ByteOrder.LITTLE_ENDIAN).getInt(FileFormat.META_VERSION);
  }

  /**
   * Reads a meta page.
   *
   * @return null if the bytes are not a whole meta page of this version
   */
  static Meta decode(byte[] page) {
    ByteBuffer b = ByteBuffer.wrap(page).order(ByteOrder.LITTLE_ENDIAN);
    if (!hasMagic(page)
        || b.getInt(FileFormat.META_CHECKSUM) != checksum(page)
        || version(page) != FileFormat.VERSION
        || b.getInt(FileFormat.META_PAGE_BYTES) != PageFormat.PAGE_BYTES) {
      return null;
    }
    int flags = b.getInt(FileFormat.META_FLAGS);
    LogStart log =
        (flags & FileFormat.FLAG_NAMES_LOG) == 0
            ? null
            : new LogStart(
                b.getLong(FileFormat.META_LOG_SLOT_NUMBER),
                b.getLong(FileFormat.META_LOG_SLOT_SALT),
                b.getLong(FileFormat.META_LOG_OFFSET),
                b.getInt(FileFormat.META_LOG_CHAIN));
    return new Meta(
        b.getLong(FileFormat.META_DATABASE_ID),
        b.getLong(FileFormat.META_DATABASE_ID + Long.BYTES),
        b.getLong(FileFormat.META_TIMELINE),
        b.getLong(FileFormat.META_TIMELINE + Long.BYTES),
        b.getLong(FileFormat.META_NEXT_COMMIT_NUMBER),
        b.getLong(FileFormat.META_CHECKPOINT_NUMBER),
        b.getInt(FileFormat.META_CATALOG_PAGE),
        b.getLong(FileFormat.META_CATALOG_BIRTH),
        b.getInt(FileFormat.META_PAGE_COUNT),
        b.getInt(FileFormat.META_NEXT_TABLE_ID),
        (flags & FileFormat.FLAG_CLEAN) != 0,
        b.getLong(FileFormat.META_NEXT_LSN),
        b.getLong(FileFormat.META_NEXT_SLOT_NUMBER),
        log,
        b.getLong(FileFormat.META_CHECKPOINT_MILLIS));
  }

  /** Copies an encoded page into a native buffer for writing. */
  static void copyTo(byte[] page, MemorySegment target) {
    MemorySegment.copy(page, 0, target, PageFormat.BYTE, 0, page.length);
  }
}
