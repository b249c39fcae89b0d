package dev.kvdb.tree;

import dev.kvdb.page.PageFormat;
import dev.kvdb.page.TreePage;
import dev.kvdb.pager.PageReader;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Looks for an entry in a range without changing anything. Within one stretch of reading. */
final class RangeProbe {
  private final PageReader pages;
  private final MemorySegment m;
  private final int rootPage;
  private final long rootBirth;
  private final int height;

  RangeProbe(PageReader pages, int rootPage, long rootBirth, int height) {
    this.pages = pages;
    this.m = pages.memory();
    this.rootPage = rootPage;
    this.rootBirth = rootBirth;
    this.height = height;
  }

  boolean hasEntry(
      byte[] from, int fromOffset, int fromLength, byte[] to, int toOffset, int toLength) {
    byte[] key = new byte[2 * PageFormat.KEY_BYTES_MAX];
    int length = firstFrom(rootPage, rootBirth, height - 1, from, fromOffset, fromLength, key);
    return length >= 0
        && (to == null
            || Arrays.compareUnsigned(key, 0, length, to, toOffset, toOffset + toLength) < 0);
  }

  /** The first key at or behind a bound, in a subtree: its length, -1 if there is none. */
  private int firstFrom(
      int page, long birth, int level, byte[] from, int offset, int length, byte[] key) {
    long at = pages.locate(page, birth);
    TreeReader.requireLevel(m, at, page, level);
    int count = TreePage.count(m, at);
    if (level == 0) {
      int found = from == null ? 0 : TreePage.search(m, at, from, offset, length);
      int index = found >= 0 ? found : -1 - found;
      return index < count ? TreePage.copyKey(m, at, index, key) : -1;
    }
    int first = from == null ? 0 : TreePage.searchChild(m, at, from, offset, length);
    for (int i = first; i < count; i++) {
      int found =
          firstFrom(
              TreePage.child(m, at, i),
              TreePage.childBirth(m, at, i),
              level - 1,
              i == first ? from : null,
              offset,
              length,
              key);
      if (found >= 0) {
        return found;
      }
    }
    return -1;
  }
}
