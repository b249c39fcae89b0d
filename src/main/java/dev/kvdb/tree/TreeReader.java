package dev.kvdb.tree;

import dev.kvdb.page.CorruptPageException;
import dev.kvdb.page.PageFormat;
import dev.kvdb.page.TreePage;
import dev.kvdb.pager.PageReader;
import java.lang.foreign.MemorySegment;

/** Point lookups. Allocates nothing. */
public final class TreeReader {
  private TreeReader() {}

  /** Finds a key in a tree of which no leaf is open. */
  public static long find(
      PageReader pages,
      int rootPage,
      long rootBirth,
      int height,
      byte[] key,
      int offset,
      int length) {
    return find(pages, rootPage, rootBirth, height, 0, 0, key, offset, length);
  }

  /**
   * Finds a key. The caller has entered the pages, and polls for faults before it uses the answer.
   *
   * @param height levels of the tree, at least 1
   * @param openLeaf the leaf that newer commits may be appending to, 0 if there is none
   * @param openEntries how many of its entries belong to this tree (I-21)
   * @return where the value lies in the pages' memory and its length, as (offset &lt;&lt; 16 |
   *     length); -1 if the key is absent
   * @throws CorruptPageException if a page is not what its parent says
   */
  public static long find(
      PageReader pages,
      int rootPage,
      long rootBirth,
      int height,
      int openLeaf,
      int openEntries,
      byte[] key,
      int offset,
      int length) {
    MemorySegment m = pages.memory();
    int page = rootPage;
    long birth = rootBirth;
    for (int level = height - 1; level > 0; level--) {
      long at = pages.locate(page, birth);
      requireLevel(m, at, page, level);
      int child = TreePage.searchChild(m, at, key, offset, length);
      page = TreePage.child(m, at, child);
      birth = TreePage.childBirth(m, at, child);
    }
    long at = pages.locate(page, birth);
    requireLevel(m, at, page, 0);
    int count = page == openLeaf ? openEntries : TreePage.count(m, at);
    int found = TreePage.search(m, at, count, key, offset, length);
    return found < 0 ? -1 : TreePage.value(m, at, found);
  }

  /** A wrong type or level ends the descent: it could go round in a circle otherwise. */
  static void requireLevel(MemorySegment m, long at, int page, int level) {
    int type = level == 0 ? PageFormat.TYPE_LEAF : PageFormat.TYPE_BRANCH;
    if (TreePage.type(m, at) != type || TreePage.level(m, at) != level) {
      throw new CorruptPageException(
          page,
          "it is of type "
              + TreePage.type(m, at)
              + " and level "
              + TreePage.level(m, at)
              + ", expected type "
              + type
              + " and level "
              + level);
    }
  }
}
