package dev.kvdb.page;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * A row of cells taken from one or two pages, with a new one among them if wanted, from which pages
 * are laid out anew: for compaction, splits, merges and redistribution. Reused; one thread at a
 * time.
 *
 * <p>The source pages are copied, so the pages laid out may be the same ones.
 */
public final class CellRun {
  private static final int NEW = 2;
  private static final int KEY_BUFFER_BYTES = 2 * PageFormat.KEY_BYTES_MAX;

  private final MemorySegment pages =
      Arena.ofAuto().allocate(2L * PageFormat.PAGE_BYTES, Long.BYTES);
  private final int[] source = new int[1024];
  private final int[] slot = new int[1024];
  private final byte[] keyBuffer = new byte[KEY_BUFFER_BYTES];
  private final byte[] otherBuffer = new byte[KEY_BUFFER_BYTES];
  private int count;
  private int level;

  private byte[] newBytes;
  private int newKeyOffset;
  private int newKeyLength;
  private int newValueOffset;
  private int newValueLength;
  private int newChild;
  private long newChildBirth;
  private int newIndex;

  private final byte[] joinKey = new byte[KEY_BUFFER_BYTES];
  private int joinLength;

  /** The longest prefix a page that lacks a fence gets. */
  private int prefixMax;

  /** Begins with nothing, for pages of a level. */
  public void begin(int pageLevel) {
    level = pageLevel;
    count = 0;
    prefixMax = PageFormat.KEY_BYTES_MAX;
    newIndex = -1;
  }

  /** Copies a source page: the first or the second. */
  public void load(int which, MemorySegment m, long page) {
    MemorySegment.copy(m, page, pages, at(which), PageFormat.PAGE_BYTES);
  }

  private static long at(int which) {
    return (long) which * PageFormat.PAGE_BYTES;
  }

  /** What the empty first key of the second page, a branch, stands for: its separator. */
  public void joinAt(byte[] key, int length) {
    System.arraycopy(key, 0, joinKey, 0, length);
    joinLength = length;
  }

  /** Adds cells of a source page. */
  public void add(int which, int from, int to) {
    for (int i = from; i < to; i++) {
      source[count] = which;
      slot[count++] = i;
    }
  }

  /** Adds a new leaf entry. */
  public void addNew(byte[] bytes, int keyOffset, int keyLength, int valueOffset, int valueLength) {
    newBytes = bytes;
    newKeyOffset = keyOffset;
    newKeyLength = keyLength;
    newValueOffset = valueOffset;
    newValueLength = valueLength;
    addNew();
  }

  /** Adds a new child. */
  public void addNewChild(byte[] bytes, int keyOffset, int keyLength, int child, long birth) {
    newBytes = bytes;
    newKeyOffset = keyOffset;
    newKeyLength = keyLength;
    newValueLength = 0;
    newChild = child;
    newChildBirth = birth;
    addNew();
  }

  private void addNew() {
    newIndex = count;
    source[count] = NEW;
    slot[count++] = 0;
  }

  /** Cells added so far. */
  public int count() {
    return count;
  }

  /** Which of them is the new one; -1 if none is. */
  public int newIndex() {
    return newIndex;
  }

  private boolean isJoint(int index) {
    return source[index] == 1 && slot[index] == 0 && level > 0;
  }

  /** Length of a whole key. */
  public int keyLength(int index) {
    if (source[index] == NEW) {
      return newKeyLength;
    }
    if (isJoint(index)) {
      return joinLength;
    }
    long page = at(source[index]);
    return TreePage.prefixLength(pages, page) + TreePage.keyRest(pages, page, slot[index]);
  }

  /** Copies a whole key; returns its length. */
  public int copyKey(int index, byte[] target) {
    if (source[index] == NEW) {
      System.arraycopy(newBytes, newKeyOffset, target, 0, newKeyLength);
      return newKeyLength;
    }
    if (isJoint(index)) {
      System.arraycopy(joinKey, 0, target, 0, joinLength);
      return joinLength;
    }
    return TreePage.copyKey(pages, at(source[index]), slot[index], target);
  }

  private int valueLength(int index) {
    if (level > 0) {
      return 0;
    }
    return source[index] == NEW
        ? newValueLength
        : (int) TreePage.value(pages, at(source[index]), slot[index]) & 0xFFFF;
  }

  /** Length of a cell on a page with a prefix, its slot included. */
  public int bytesOf(int index, int prefix, boolean isFirst) {
    if (level > 0) {
      int key = isFirst ? 0 : TreePage.inCell(keyLength(index) - prefix);
      return TreePage.BRANCH_CELL_BYTES + key + TreePage.SLOT_BYTES;
    }
    return TreePage.LEAF_CELL_BYTES
        + TreePage.inCell(keyLength(index) - prefix)
        + valueLength(index)
        + TreePage.SLOT_BYTES;
  }

  /**
   * The prefix a page of these cells gets: what its two fences share, or, where it lacks one, what
   * its own keys and its one fence share.
   */
  public int prefixFor(
      int from, int to, byte[] lower, int lowerLength, byte[] upper, int upperLength) {
    if (lowerLength >= 0 && upperLength >= 0) {
      return common(lower, lowerLength, upper, upperLength);
    }
    return Math.min(prefixMax, ownPrefix(from, to, lower, lowerLength, upper, upperLength));
  }

  /**
   * Keeps the prefix of pages that lack a fence from becoming longer than what their neighbour
   * shares: the next key of an ascending run would not share it, and the page be laid out again.
   */
  public void limitPrefix(int length) {
    prefixMax = length;
  }

  private int ownPrefix(
      int from, int to, byte[] lower, int lowerLength, byte[] upper, int upperLength) {
    int firstKey = level > 0 ? from + 1 : from;
    if (firstKey >= to) {
      return 0;
    }
    int low;
    byte[] lowKey;
    if (lowerLength >= 0) {
      lowKey = lower;
      low = lowerLength;
    } else {
      low = copyKey(firstKey, keyBuffer);
      lowKey = keyBuffer;
    }
    if (upperLength >= 0) {
      return common(lowKey, low, upper, upperLength);
    }
    int high = copyKey(to - 1, otherBuffer);
    return common(lowKey, low, otherBuffer, high);
  }

  /** How many bytes two keys begin with in common. */
  public static int common(byte[] a, int aLength, byte[] b, int bLength) {
    int length = Math.min(aLength, bLength);
    int mismatch = Arrays.mismatch(a, 0, length, b, 0, length);
    return mismatch < 0 ? length : mismatch;
  }

  /** Bytes that a page of these cells takes behind its header. */
  public int bytesFor(
      int from, int to, byte[] lower, int lowerLength, byte[] upper, int upperLength) {
    int prefix = prefixFor(from, to, lower, lowerLength, upper, upperLength);
    int bytes = tailFor(prefix, lowerLength, upperLength);
    for (int i = from; i < to; i++) {
      bytes += bytesOf(i, prefix, i == from);
    }
    return bytes;
  }

  private static int tailFor(int prefix, int lowerLength, int upperLength) {
    return prefix
        + (lowerLength < 0 ? 0 : lowerLength - prefix)
        + (upperLength < 0 ? 0 : upperLength - prefix);
  }

  /** Whether they fit one page. */
  public boolean fitsPage(
      int from, int to, byte[] lower, int lowerLength, byte[] upper, int upperLength) {
    return bytesFor(from, to, lower, lowerLength, upper, upperLength) <= TreePage.CAPACITY_BYTES;
  }

  /**
   * The shortest key that separates a cell from the one before it: above the one, not above the
   * other. For a branch it is the cell's own key, which moves up.
   *
   * @return its length in the target
   */
  public int separator(int index, byte[] target) {
    int length = copyKey(index, target);
    if (level > 0) {
      return length;
    }
    int before = copyKey(index - 1, otherBuffer);
    return Math.min(length, common(otherBuffer, before, target, length) + 1);
  }

  /** Lays a page out with a range of the cells; fences of length -1 are none. */
  public void build(
      MemorySegment m,
      long page,
      int from,
      int to,
      byte[] lower,
      int lowerLength,
      byte[] upper,
      int upperLength) {
    buildWithRun(m, page, from, to, lower, lowerLength, upper, upperLength, 0, 0);
  }

  /** The same, and says where the newest insertion is and how long its run. */
  public void buildWithRun(
      MemorySegment m,
      long page,
      int from,
      int to,
      byte[] lower,
      int lowerLength,
      byte[] upper,
      int upperLength,
      int lastInsert,
      int runLength) {
    int prefix = prefixFor(from, to, lower, lowerLength, upper, upperLength);
    TreePage.initialize(
        m,
        page,
        level,
        prefix,
        lowerLength < 0 ? PageFormat.NO_FENCE : lowerLength - prefix,
        upperLength < 0 ? PageFormat.NO_FENCE : upperLength - prefix);
    if (prefix > 0) {
      writePrefix(m, page, from, prefix, lower, lowerLength, upper, upperLength);
    }
    TreePage.writeFences(m, page, lower, lowerLength, upper, upperLength);
    int next = from;
    while (next < to) {
      int end = endOfAlike(next, from, to, prefix);
      if (end > next) {
        int which = source[next];
        TreePage.appendCells(m, page, pages, at(which), slot[next], slot[end - 1] + 1);
        next = end;
      } else {
        append(m, page, next, next - from);
        next++;
      }
    }
    TreePage.setRun(m, page, lastInsert, runLength);
  }

  /** The end of the cells from a place on that can be copied as they are. */
  private int endOfAlike(int index, int from, int to, int prefix) {
    int which = source[index];
    boolean hasOtherKey = level > 0 && (index == from || slot[index] == 0);
    if (which == NEW || hasOtherKey || TreePage.prefixLength(pages, at(which)) != prefix) {
      return index;
    }
    int end = index + 1;
    while (end < to && source[end] == which && slot[end] == slot[end - 1] + 1) {
      end++;
    }
    return end;
  }

  private void writePrefix(
      MemorySegment m,
      long page,
      int from,
      int prefix,
      byte[] lower,
      int lowerLength,
      byte[] upper,
      int upperLength) {
    if (lowerLength >= 0) {
      TreePage.writePrefix(m, page, lower, prefix);
    } else if (upperLength >= 0) {
      TreePage.writePrefix(m, page, upper, prefix);
    } else {
      copyKey(level > 0 ? from + 1 : from, keyBuffer);
      TreePage.writePrefix(m, page, keyBuffer, prefix);
    }
  }

  private void append(MemorySegment m, long page, int index, int target) {
    boolean isEmptyKey = level > 0 && target == 0;
    int length;
    if (isEmptyKey) {
      length = TreePage.copyPrefix(m, page, keyBuffer);
    } else {
      length = copyKey(index, keyBuffer);
    }
    if (level > 0) {
      TreePage.insertBranch(m, page, target, keyBuffer, 0, length, childOf(index), birthOf(index));
    } else if (source[index] == NEW) {
      TreePage.insertLeaf(
          m, page, target, newBytes, newKeyOffset, newKeyLength, newValueOffset, newValueLength);
    } else {
      long value = TreePage.value(pages, at(source[index]), slot[index]);
      TreePage.insertLeafFrom(
          m, page, target, keyBuffer, length, pages, value >>> 16, (int) value & 0xFFFF);
    }
  }

  private int childOf(int index) {
    return source[index] == NEW ? newChild : TreePage.child(pages, at(source[index]), slot[index]);
  }

  private long birthOf(int index) {
    return source[index] == NEW
        ? newChildBirth
        : TreePage.childBirth(pages, at(source[index]), slot[index]);
  }
}
