package dev.kvdb.pager;

import dev.kvdb.page.CorruptPageException;
import java.lang.foreign.MemorySegment;

/**
 * Finds pages in memory, for reading.
 *
 * <p>A page is either in a frame (changed since it was last written) or in the window on the page
 * file. An offset given out by {@link #locate} is good only between {@link #enter} and {@link
 * #exit}, unless {@link #isStable} says that it stays.
 */
public interface PageReader {

  /** The one segment that holds every frame and the whole window. It never changes. */
  MemorySegment memory();

  /**
   * Where a page is now.
   *
   * @param page its number
   * @param birth the commit number that its parent says it bears
   * @return its offset in {@link #memory()}
   * @throws CorruptPageException if the number is beyond the file, the checksum does not fit, or
   *     the page bears another number than {@code birth} (I-3)
   */
  long locate(int page, long birth);

  /**
   * Whether the bytes at an offset from {@link #locate} stay where they are after {@link #exit},
   * for as long as the root they were reached from is held: true in the window, false in a frame.
   */
  boolean isStable(long offset);

  /**
   * Begins a stretch of reading in which no frame is reused and no page reached from a published
   * root is reused. No user code may run, and nothing may wait, before {@link #exit}.
   *
   * @return a token for {@link #exit}
   */
  int enter();

  /** Ends what {@link #enter} began. */
  void exit(int token);
}
