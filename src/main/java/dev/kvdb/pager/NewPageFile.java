package dev.kvdb.pager;

import dev.kvdb.nativecalls.NativeCalls;
import java.security.SecureRandom;

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
}
