package dev.kvdb.pager;

import dev.kvdb.page.CorruptPageException;
import dev.kvdb.page.Faults;
import dev.kvdb.page.PageChecksum;
import dev.kvdb.page.PageFormat;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** Checks of single pages that the reader, the writer and the opening share. */
final class PageChecks {
  private static final int BUFFERS = 8;
  private static final AtomicReferenceArray<byte[]> POOL = new AtomicReferenceArray<>(BUFFERS);

  private PageChecks() {}

  /**
   * Checks the checksum of a page in mapped memory. The page is copied first: the checksum
   * intrinsic would turn a fault on mapped memory into the death of the JVM (I-20).
   */
  static void requireChecksum(int page, MemorySegment memory, long offset) {
    byte[] copy = borrow();
    try {
      MemorySegment.copy(memory, PageFormat.BYTE, offset, copy, 0, copy.length);
      Faults.poll();
      requireChecksum(page, copy);
    } finally {
      giveBack(copy);
    }
  }

  static void requireChecksum(int page, byte[] copy) {
    if (!PageChecksum.isRight(page, copy)) {
      throw new CorruptPageException(page, "its checksum does not fit its content");
    }
  }

  /** Checks type and birth of a page whose checksum is right. */
  static void require(int page, MemorySegment memory, long offset, int type, long birth) {
    int found = memory.get(PageFormat.BYTE, offset + PageFormat.TYPE);
    if (found != type) {
      throw new CorruptPageException(page, "it is of type " + found + ", expected " + type);
    }
    long bears = memory.get(PageFormat.LONG, offset + PageFormat.BIRTH);
    if (bears != birth) {
      throw wrongBirth(page, bears, birth);
    }
  }

  static CorruptPageException wrongBirth(int page, long found, long expected) {
    return new CorruptPageException(
        page, "it bears the commit number " + found + ", what points to it says " + expected);
  }

  private static byte[] borrow() {
    for (int i = 0; i < BUFFERS; i++) {
      byte[] buffer = POOL.getAndSet(i, null);
      if (buffer != null) {
        return buffer;
      }
    }
    return new byte[PageFormat.PAGE_BYTES];
  }

  private static void giveBack(byte[] buffer) {
    for (int i = 0; i < BUFFERS; i++) {
      if (POOL.compareAndSet(i, null, buffer)) {
        return;
      }
    }
  }
}
