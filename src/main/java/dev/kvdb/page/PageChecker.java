package dev.kvdb.page;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Checks that one tree page is consistent in itself: bounds, cells that do not overlap, bytes that
 * add up, keys in order, prefix and fences. Reports every problem it can still see.
 */
public final class PageChecker {
  private final byte[] key = new byte[PageFormat.KEY_BYTES_MAX];
  private final byte[] before = new byte[PageFormat.KEY_BYTES_MAX];
  private final byte[] fence = new byte[PageFormat.KEY_BYTES_MAX];

  /**
   * Checks a page.
   *
   * @param level what its parent says its level is
   * @param problems receives each problem in words
   * @return whether its cells can be walked
   */
  public boolean check(MemorySegment m, long page, int level, Consumer<String> problems) {
    int type = level == 0 ? PageFormat.TYPE_LEAF : PageFormat.TYPE_BRANCH;
    if (TreePage.type(m, page) != type || TreePage.level(m, page) != level) {
      problems.accept(
          "type "
              + TreePage.type(m, page)
              + " and level "
              + TreePage.level(m, page)
              + ", expected type "
              + type
              + " and level "
              + level);
      return false;
    }
    if (!checkBounds(m, page, problems)) {
      return false;
    }
    checkOrder(m, page, level, problems);
    return true;
  }

  private boolean checkBounds(MemorySegment m, long page, Consumer<String> problems) {
    int count = TreePage.count(m, page);
    int heapStart = TreePage.heapStart(m, page);
    int heapEnd = TreePage.heapEnd(m, page);
    int slotsEnd = PageFormat.HEADER_BYTES + count * TreePage.SLOT_BYTES;
    if (TreePage.prefixLength(m, page) > PageFormat.KEY_BYTES_MAX
        || heapEnd < slotsEnd
        || heapStart < slotsEnd
        || heapStart > heapEnd) {
      problems.accept(
          "slots end at " + slotsEnd + ", the heap lies from " + heapStart + " to " + heapEnd);
      return false;
    }
    // Lengths first: behind this, every key and fence fits the buffers it is copied to.
    if (isTooLong(m, page, TreePage.lowerFenceRest(m, page))
        || isTooLong(m, page, TreePage.upperFenceRest(m, page))) {
      problems.accept("a fence is longer than a key may be");
      return false;
    }
    long[] extents = new long[count];
    int live = 0;
    for (int i = 0; i < count; i++) {
      int offset = TreePage.cellOffset(m, page, i);
      int front =
          TreePage.level(m, page) == 0 ? TreePage.LEAF_CELL_BYTES : TreePage.BRANCH_CELL_BYTES;
      if (offset < heapStart || offset + front > heapEnd) {
        problems.accept("cell " + i + " begins at " + offset + ", outside of the heap");
        return false;
      }
      if (TreePage.prefixLength(m, page) + TreePage.keyRest(m, page, i)
          > PageFormat.KEY_BYTES_MAX) {
        problems.accept("the key of cell " + i + " is longer than a key may be");
        return false;
      }
      int bytes = TreePage.cellBytes(m, page, i);
      if (offset + bytes > heapEnd) {
        problems.accept("cell " + i + " runs over the end of the heap");
        return false;
      }
      live += bytes;
      extents[i] = (long) offset << 32 | bytes;
    }
    Arrays.sort(extents);
    for (int i = 1; i < count; i++) {
      if ((extents[i - 1] >>> 32) + (int) extents[i - 1] > extents[i] >>> 32) {
        problems.accept("two cells overlap at " + (extents[i] >>> 32));
        return false;
      }
    }
    if (live + TreePage.freedBytes(m, page) != heapEnd - heapStart) {
      problems.accept(
          "the heap has "
              + (heapEnd - heapStart)
              + " bytes, its cells "
              + live
              + ", freed are "
              + TreePage.freedBytes(m, page));
    }
    return true;
  }

  private static boolean isTooLong(MemorySegment m, long page, int fenceRest) {
    return fenceRest != PageFormat.NO_FENCE
        && TreePage.prefixLength(m, page) + fenceRest > PageFormat.KEY_BYTES_MAX;
  }

  private void checkOrder(MemorySegment m, long page, int level, Consumer<String> problems) {
    int count = TreePage.count(m, page);
    int prefix = TreePage.prefixLength(m, page);
    int beforeLength = -1;
    for (int i = 0; i < count; i++) {
      int length = TreePage.copyKey(m, page, i, key);
      int head = TreePage.headOf(key, prefix, length - prefix);
      if (head != TreePage.head(m, page, i)) {
        problems.accept("the head of slot " + i + " has bytes behind the end of its key");
      }
      if (beforeLength >= 0
          && Arrays.compareUnsigned(before, 0, beforeLength, key, 0, length) >= 0) {
        problems.accept("the keys of cells " + (i - 1) + " and " + i + " are out of order");
      }
      boolean isMinusInfinity = level > 0 && i == 0;
      if (isMinusInfinity && length != prefix) {
        problems.accept("the first key of a branch is not empty");
      }
      if (!isMinusInfinity) {
        checkFences(m, page, i, length, problems);
        System.arraycopy(key, 0, before, 0, length);
        beforeLength = length;
      }
      if (level == 0 && ((int) TreePage.value(m, page, i) & 0xFFFF) > PageFormat.VALUE_BYTES_MAX) {
        problems.accept("the value of cell " + i + " is too long");
      }
    }
  }

  private void checkFences(
      MemorySegment m, long page, int index, int length, Consumer<String> problems) {
    int lower = TreePage.copyLowerFence(m, page, fence);
    if (lower >= 0 && Arrays.compareUnsigned(fence, 0, lower, key, 0, length) > 0) {
      problems.accept("the key of cell " + index + " lies below the lower fence");
    }
    int upper = TreePage.copyUpperFence(m, page, fence);
    if (upper >= 0 && Arrays.compareUnsigned(fence, 0, upper, key, 0, length) <= 0) {
      problems.accept("the key of cell " + index + " does not lie below the upper fence");
    }
  }
}
