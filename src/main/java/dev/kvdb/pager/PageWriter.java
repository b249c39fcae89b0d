package dev.kvdb.pager;

/**
 * Makes, changes and frees pages for the one commit under way, copy on write.
 *
 * <p>Used by one thread at a time, under the commit lock. <b>Offsets expire</b>: {@link #allocate}
 * and {@link #change} may evict frames, so every offset obtained from {@link #locate} before such a
 * call must be asked for again, except those of pages that this operation allocated or changed:
 * they are pinned until the next {@link #beginOperation}.
 */
public interface PageWriter extends PageReader {

  /** The number of the commit under way. Pages that bear it may be changed in place (I-1). */
  long commitNumber();

  /** Unpins what the operation before pinned. Called before each put, delete or range delete. */
  void beginOperation();

  /**
   * Makes a new page in a pinned frame, bearing {@link #commitNumber()} in its header. All its
   * other bytes are undefined: the caller lays the whole page out.
   *
   * @return its number
   */
  int allocate();

  /**
   * Makes a page changeable: pinned, in a frame and bearing {@link #commitNumber()}. A page that
   * does already stays what it is; any other is copied to a new page, and the old one is freed.
   *
   * @return its number from now on
   */
  int change(int page, long birth);

  /** Says that the tree no longer reaches a page. A snapshot or a checkpoint still may. */
  void free(int page, long birth);
}
