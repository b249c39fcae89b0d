package dev.kvdb.pager;

import dev.kvdb.nativecalls.NativeCalls;
import dev.kvdb.page.PageFormat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.Arrays;

/** Writes the page file of an empty database. */
public final class NewPageFile {
  /** The length of a new file in pages: metas, the first maps, and room to begin with. */
  static final int PAGES = 64;

  /** The first commit number: 0 is that of the empty state. */
  private static final long FIRST_NUMBER = 1;

  private NewPageFile() {}

  /**
   * Writes both metas of an empty database with new random ids into an empty file, and flushes it.
   */
  public static void write(NativeCalls calls, int descriptor) {
    SecureRandom random = new SecureRandom();
    PageFile file = new PageFile(calls, descriptor);
    file.allocate(0, PAGES);
    Meta meta =
        new Meta(
            random.nextLong(),
            random.nextLong(),
            random.nextLong(),
            random.nextLong(),
            FIRST_NUMBER,
            0,
            0,
            0,
            FileFormat.META_PAGES[1] + 1,
            1,
            true,
            1,
            1,
            null,
            System.currentTimeMillis());
    file.writeMeta(0, meta);
    file.writeMeta(1, meta);
    file.flush();
  }

  /**
   * Whether a file holds nothing but what a creation that was cut short can have left: zeros, and
   * metas of a database that nobody has opened yet.
   */
  public static boolean isUnfinished(NativeCalls calls, int descriptor) {
    long size = calls.status(descriptor).size();
    if (size > (long) PAGES * PageFormat.PAGE_BYTES) {
      return false;
    }
    byte[] content = new byte[PAGES * PageFormat.PAGE_BYTES];
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(content.length, PageFormat.PAGE_BYTES);
      int read = (int) calls.read(descriptor, buffer, 0);
      MemorySegment.copy(buffer, PageFormat.BYTE, 0, content, 0, read);
    }
    byte[] nothing = new byte[PageFormat.PAGE_BYTES];
    for (int page = 0; page < PAGES; page++) {
      int from = page * PageFormat.PAGE_BYTES;
      byte[] bytes = Arrays.copyOfRange(content, from, from + PageFormat.PAGE_BYTES);
      if (!Arrays.equals(bytes, nothing) && !isMetaOfNewFile(page, bytes)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isMetaOfNewFile(int page, byte[] bytes) {
    if (page != FileFormat.META_PAGES[0] && page != FileFormat.META_PAGES[1]) {
      return false;
    }
    Meta meta = Meta.decode(bytes);
    return meta != null && meta.nextCommitNumber() == FIRST_NUMBER;
  }
}
