package dev.kvdb.page;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The checksum of a page: CRC32C over its number, as a little-endian u32, and everything behind the
 * checksum field. The number makes a page that was written to the wrong place a damaged page.
 *
 * <p>Works on private copies only: the intrinsic behind {@link CRC32C} turns a fault on mapped
 * memory into the death of the JVM. An instance may be used by one thread at a time.
 */
public final class PageChecksum {
  private static final int CONTENT = PageFormat.CHECKSUM + Integer.BYTES;

  private final CRC32C crc = new CRC32C();

  /** Computes the checksum of the page that begins at a place in a direct buffer. */
  public int compute(int page, ByteBuffer buffer, int offset) {
    start(page);
    buffer.limit(offset + PageFormat.PAGE_BYTES).position(offset + CONTENT);
    crc.update(buffer);
    buffer.clear();
    return (int) crc.getValue();
  }

  /** Computes the checksum of a page in an array of its size. */
  public int compute(int page, byte[] bytes) {
    start(page);
    crc.update(bytes, CONTENT, PageFormat.PAGE_BYTES - CONTENT);
    return (int) crc.getValue();
  }

  private void start(int page) {
    crc.reset();
    crc.update(page);
    crc.update(page >>> 8);
    crc.update(page >>> 16);
    crc.update(page >>> 24);
  }

  /** Whether the checksum in an array of a page's size fits the page and its number. */
  public static boolean isRight(int page, byte[] bytes) {
    int stored =
        (bytes[0] & 0xFF)
            | (bytes[1] & 0xFF) << 8
            | (bytes[2] & 0xFF) << 16
            | (bytes[3] & 0xFF) << 24;
    return stored == new PageChecksum().compute(page, bytes);
  }
}
