package dev.kvdb.pager;

import dev.kvdb.nativecalls.NativeCalls;
import dev.kvdb.nativecalls.NativeCalls.FlushLevel;
import dev.kvdb.page.CorruptPageException;
import dev.kvdb.page.PageFormat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Reads and writes pages of the page file. Only here is the page file written, always with pwrite.
 */
public final class PageFile {
  private final NativeCalls calls;
  private final int descriptor;

  /** The caller keeps the descriptor and closes it. */
  public PageFile(NativeCalls calls, int descriptor) {
    this.calls = calls;
    this.descriptor = descriptor;
  }

  /** The descriptor of the page file. */
  public int descriptor() {
    return descriptor;
  }

  /**
   * Reads one page as it lies in the file.
   *
   * @return null if the file ends before the end of the page
   */
  byte[] read(int page) {
    byte[] bytes = new byte[PageFormat.PAGE_BYTES];
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(PageFormat.PAGE_BYTES, PageFormat.PAGE_BYTES);
      long read = calls.read(descriptor, buffer, offsetOf(page));
      if (read < PageFormat.PAGE_BYTES) {
        return null;
      }
      MemorySegment.copy(buffer, PageFormat.BYTE, 0, bytes, 0, bytes.length);
    }
    return bytes;
  }

  /** Reads a page that has the common header, and checks its checksum, type and birth. */
  byte[] readChecked(int page, int type, long birth) {
    byte[] bytes = page <= 0 ? null : read(page);
    if (bytes == null) {
      throw new CorruptPageException(page, "the number lies outside the file");
    }
    PageChecks.requireChecksum(page, bytes);
    PageChecks.require(page, MemorySegment.ofArray(bytes), 0, type, birth);
    return bytes;
  }

  void write(int page, MemorySegment buffer) {
    calls.write(descriptor, buffer, offsetOf(page));
  }

  /** Writes an encoded meta page to one of its two places. */
  void writeMeta(int place, Meta meta) {
    writeBytes(FileFormat.META_PAGES[place], meta.encode());
  }

  private void writeBytes(int page, byte[] bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(PageFormat.PAGE_BYTES, PageFormat.PAGE_BYTES);
      Meta.copyTo(bytes, buffer);
      write(page, buffer);
    }
  }

  /** Flushes the file as strongly as the system can. */
  void flush() {
    calls.flush(descriptor, FlushLevel.FULL);
  }

  void allocate(int fromPage, int toPage) {
    calls.allocate(descriptor, offsetOf(fromPage), offsetOf(toPage) - offsetOf(fromPage));
  }

  void cut(int pages) {
    calls.truncate(descriptor, offsetOf(pages));
  }

  /** How many whole pages the file has. */
  int pages() {
    long pages = calls.status(descriptor).size() / PageFormat.PAGE_BYTES;
    return (int) Math.min(Integer.MAX_VALUE, pages);
  }

  private static long offsetOf(int page) {
    return (long) page * PageFormat.PAGE_BYTES;
  }
}
