package dev.kvdb.tree;

import dev.kvdb.page.CorruptPageException;
import dev.kvdb.page.Faults;
import dev.kvdb.page.PageChecker;
import dev.kvdb.page.PageFormat;
import dev.kvdb.page.TreePage;
import dev.kvdb.pager.PageReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Walks a whole tree and checks every page, and that pages agree with their parents. It goes on
 * behind a problem wherever the rest can still be reached.
 */
public final class TreeChecker {
  /** Is told of every page the tree reaches; returns false if it was reached before. */
  public interface PageVisitor {
    /** A page at a level above the leaves. */
    boolean visit(int page, int level);
  }

  private final PageReader pages;
  private final PageVisitor visitor;
  private final Consumer<String> problems;
  private final PageChecker checker = new PageChecker();
  private final byte[] fence = new byte[2 * PageFormat.KEY_BYTES_MAX];
  private int openLeaf;
  private int openEntries;

  /** One buffer a level: a branch is still read from while its children are checked. */
  private final MemorySegment[] copies = new MemorySegment[PageFormat.HEIGHT_MAX];

  private long entries;
  private long keyBytes;
  private long valueBytes;
  private long usedLeafBytes;
  private long leaves;
  private long branches;

  /**
   * @param problems receives each problem in words
   */
  public TreeChecker(PageReader pages, PageVisitor visitor, Consumer<String> problems) {
    this.pages = pages;
    this.visitor = visitor;
    this.problems = problems;
  }

  /** Checks a tree of which no leaf is open. */
  public void check(int rootPage, long rootBirth, int height, long count) {
    check(rootPage, rootBirth, height, count, 0, 0);
  }

  /**
   * Checks the tree with a root; page 0 is the empty tree.
   *
   * @param shortLeaf a leaf that holds more than belongs to this tree, 0 if there is none; nobody
   *     may be appending to it any more
   * @param shortEntries how many of its entries belong to this tree (I-21)
   */
  public void check(
      int rootPage, long rootBirth, int height, long count, int shortLeaf, int shortEntries) {
    openLeaf = shortLeaf;
    openEntries = shortEntries;
    entries = 0;
    if (rootPage != 0) {
      if (height < 1 || height > PageFormat.HEIGHT_MAX) {
        problems.accept("a tree of " + height + " levels");
        return;
      }
      checkPage(rootPage, rootBirth, height - 1, null, null);
    }
    if (entries != count) {
      problems.accept("the tree has " + entries + " entries, its root's record says " + count);
    }
  }

  private void checkPage(int page, long birth, int level, byte[] lower, byte[] upper) {
    if (!visitor.visit(page, level)) {
      problems.accept("page " + page + ": reached a second time");
      return;
    }
    // A private copy: pages in frames may move while a large tree is walked.
    MemorySegment copy = bufferOf(level);
    int token = pages.enter();
    try {
      long at = pages.locate(page, birth);
      MemorySegment.copy(pages.memory(), at, copy, 0, PageFormat.PAGE_BYTES);
      Faults.poll();
    } catch (CorruptPageException damaged) {
      problems.accept(damaged.getMessage());
      return;
    } finally {
      pages.exit(token);
    }
    try {
      if (page == openLeaf) {
        TreePage.dropAppended(copy, 0, openEntries);
      }
      boolean walkable =
          checker.check(
              copy, 0, level, problem -> problems.accept("page " + page + ": " + problem));
      if (walkable) {
        checkFences(copy, page, lower, upper);
        checkContent(copy, page, level, lower, upper);
      }
    } catch (IndexOutOfBoundsException outside) {
      problems.accept("page " + page + ": an offset leads outside of it");
    }
  }

  private MemorySegment bufferOf(int level) {
    if (copies[level] == null) {
      copies[level] = Arena.ofAuto().allocate(PageFormat.PAGE_BYTES, Long.BYTES);
    }
    return copies[level];
  }

  /** A fence that a page has must be the bound its parent gives it. */
  private void checkFences(MemorySegment copy, int page, byte[] lower, byte[] upper) {
    int length = TreePage.copyLowerFence(copy, 0, fence);
    if (length >= 0
        && (lower == null || !Arrays.equals(fence, 0, length, lower, 0, lower.length))) {
      problems.accept("page " + page + ": its lower fence is not its parent's key");
    }
    length = TreePage.copyUpperFence(copy, 0, fence);
    if (length >= 0
        && (upper == null || !Arrays.equals(fence, 0, length, upper, 0, upper.length))) {
      problems.accept("page " + page + ": its upper fence is not its parent's key");
    }
  }

  private void checkContent(MemorySegment copy, int page, int level, byte[] lower, byte[] upper) {
    int count = TreePage.count(copy, 0);
    byte[] key = new byte[2 * PageFormat.KEY_BYTES_MAX];
    if (count == 0) {
      problems.accept("page " + page + ": empty");
      return;
    }
    int firstKey = level == 0 ? 0 : 1;
    if (firstKey < count) {
      int length = TreePage.copyKey(copy, 0, firstKey, key);
      if (lower != null && Arrays.compareUnsigned(lower, 0, lower.length, key, 0, length) > 0) {
        problems.accept("page " + page + ": a key lies below what its parent sends here");
      }
      length = TreePage.copyKey(copy, 0, count - 1, key);
      if (upper != null && Arrays.compareUnsigned(upper, 0, upper.length, key, 0, length) <= 0) {
        problems.accept("page " + page + ": a key lies above what its parent sends here");
      }
    }
    if (level == 0) {
      measureLeaf(copy, count);
      return;
    }
    branches++;
    byte[] bound = lower;
    for (int i = 0; i < count; i++) {
      byte[] next =
          i + 1 < count ? Arrays.copyOf(key, TreePage.copyKey(copy, 0, i + 1, key)) : upper;
      checkPage(
          TreePage.child(copy, 0, i), TreePage.childBirth(copy, 0, i), level - 1, bound, next);
      bound = next;
    }
  }

  private void measureLeaf(MemorySegment copy, int count) {
    leaves++;
    entries += count;
    usedLeafBytes += TreePage.usedBytes(copy, 0);
    int prefix = TreePage.prefixLength(copy, 0);
    for (int i = 0; i < count; i++) {
      keyBytes += prefix + TreePage.keyRest(copy, 0, i);
      valueBytes += TreePage.value(copy, 0, i) & 0xFFFF;
    }
  }

  /** Entries seen in the last tree checked. */
  public long entries() {
    return entries;
  }

  /** Bytes of all keys seen. */
  public long keyBytes() {
    return keyBytes;
  }

  /** Bytes of all values seen. */
  public long valueBytes() {
    return valueBytes;
  }

  /** Leaf pages seen. */
  public long leaves() {
    return leaves;
  }

  /** Branch pages seen. */
  public long branches() {
    return branches;
  }

  /** Used part of the leaf pages seen, 0 to 1. */
  public double fill() {
    return leaves == 0 ? 0 : (double) usedLeafBytes / (leaves * TreePage.CAPACITY_BYTES);
  }
}
