package dev.kvdb.tree;

import dev.kvdb.page.CellRun;
import dev.kvdb.page.CorruptPageException;
import dev.kvdb.page.PageFormat;
import dev.kvdb.page.TreePage;
import dev.kvdb.pager.PageWriter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Changes one tree at a time, copy on write. Reusable; one thread at a time, under the commit lock.
 *
 * <p>Open it on a root, change, and take the new root from the accessors. An empty tree has no
 * root: page 0, height 0. An operation that fails leaves the tree in an unknown state: the commit
 * it belongs to must be abandoned.
 */
public final class TreeWriter {
  /** A page that uses less than this of its room is merged or filled up. */
  private static final int UNDERFULL_BYTES = TreePage.CAPACITY_BYTES / 4;

  /** Two pages are merged if what they hold together leaves some room, so that it lasts. */
  private static final int MERGED_BYTES_MAX = TreePage.CAPACITY_BYTES * 9 / 10;

  /** So many insertions in a row at neighbouring places make a run. */
  private static final int RUN_MIN = 4;

  private static final int NO_KEY = -1;

  /** Instead of the place of a split: no two pages can hold the cells. */
  private static final int NO_SPLIT = -1;

  private final PageWriter pages;
  private final CellRun cells = new CellRun();
  private final int[] pathPage = new int[PageFormat.HEIGHT_MAX];
  private final int[] pathIndex = new int[PageFormat.HEIGHT_MAX];
  private final long[] pathOffset = new long[PageFormat.HEIGHT_MAX];
  private final byte[] lower = new byte[2 * PageFormat.KEY_BYTES_MAX];
  private final byte[] upper = new byte[2 * PageFormat.KEY_BYTES_MAX];
  private final byte[] separator = new byte[2 * PageFormat.KEY_BYTES_MAX];
  private final byte[] oldSeparator = new byte[2 * PageFormat.KEY_BYTES_MAX];

  /** What {@link #loadBoth} found: cells of the left page, and the lengths of the outer fences. */
  private int bothLeftCount;

  private int bothLowerLength;
  private int bothUpperLength;
  private MemorySegment m;
  private int rootPage;
  private long rootBirth;
  private int height;
  private long count;
  private int tailLeaf;
  private int tailEntries;

  /** What was appended in place: the leaf's offset, -1 if nothing was, and its header before. */
  private long appendedAt = -1;

  private int heapStartBefore;
  private int lastInsertBefore;
  private int runBefore;

  /** Changes pages of this pager. */
  public TreeWriter(PageWriter pages) {
    this.pages = pages;
    this.m = pages.memory();
  }

  /** Begins to work on a tree; a root page of 0 is the empty tree. */
  public void open(int root, long birth, int levels, long entries) {
    rootPage = root;
    rootBirth = birth;
    height = levels;
    count = entries;
  }

  /** The page of the root, 0 if the tree is empty. */
  public int rootPage() {
    return rootPage;
  }

  /** The number the root page bears. */
  public long rootBirth() {
    return rootBirth;
  }

  /** Levels of the tree, 0 if it is empty. */
  public int height() {
    return height;
  }

  /** Entries. */
  public long count() {
    return count;
  }

  // ------------------------------------------------------------------ put

  /**
   * Puts an entry, over the one with the same key if there is one. Key and value lie in one array.
   *
   * @return whether the key was new
   */
  public boolean put(
      byte[] source, int keyOffset, int keyLength, int valueOffset, int valueLength) {
    pages.beginOperation();
    tailLeaf = 0;
    if (rootPage == 0) {
      makeFirstLeaf();
    }
    changePathTo(source, keyOffset, keyLength);
    int depth = height - 1;
    long leaf = pathOffset[depth];
    int found = TreePage.search(m, leaf, source, keyOffset, keyLength);
    if (found >= 0) {
      replace(depth, leaf, found, source, keyOffset, keyLength, valueOffset, valueLength);
      return false;
    }
    insert(depth, leaf, -1 - found, source, keyOffset, keyLength, valueOffset, valueLength);
    count++;
    return true;
  }

  /**
   * Appends an entry to a leaf in place, if it belongs there behind all others and has room (I-21).
   * The tree's pages stay what they are.
   *
   * @param leaf offset of a leaf of the open tree
   * @return whether it was appended
   */
  public boolean append(
      long leaf, byte[] source, int keyOffset, int keyLength, int valueOffset, int valueLength) {
    if (!TreePage.canAppend(m, leaf, source, keyOffset, keyLength, valueLength)) {
      return false;
    }
    appendedAt = leaf;
    heapStartBefore = TreePage.heapStart(m, leaf);
    lastInsertBefore = TreePage.lastInsert(m, leaf);
    runBefore = TreePage.runLength(m, leaf);
    int index = TreePage.count(m, leaf);
    TreePage.insertLeaf(m, leaf, index, source, keyOffset, keyLength, valueOffset, valueLength);
    tailEntries = index + 1;
    count++;
    return true;
  }

  /** The commit failed: the entry that it appended in place, if it did, is gone again. */
  public void takeBackAppended() {
    if (appendedAt >= 0) {
      TreePage.takeBackAppended(m, appendedAt, heapStartBefore, lastInsertBefore, runBefore);
      appendedAt = -1;
    }
  }

  /** Begins a commit: nothing has been appended in place. */
  public void beginCommit() {
    appendedAt = -1;
  }

  /**
   * The leaf that the last put made its entry the last one of, if {@link #append} can tell what
   * else belongs there; 0 otherwise.
   */
  public int tailLeaf() {
    return tailLeaf;
  }

  /** How many entries the leaf has that the last put or append put its entry behind. */
  public int tailEntries() {
    return tailEntries;
  }

  private void makeFirstLeaf() {
    rootPage = pages.allocate();
    rootBirth = pages.commitNumber();
    height = 1;
    cells.begin(0);
    cells.build(m, pages.locate(rootPage, rootBirth), 0, 0, lower, NO_KEY, upper, NO_KEY);
  }

  /** Makes the pages from the root to the leaf of a key changeable, and notes them. */
  private void changePathTo(byte[] key, int offset, int length) {
    changeRoot();
    for (int depth = 0; depth < height - 1; depth++) {
      long at = pathOffset[depth];
      int index = TreePage.searchChild(m, at, key, offset, length);
      pathIndex[depth] = index;
      pathPage[depth + 1] = changeChild(at, index, height - 2 - depth);
      pathOffset[depth + 1] = pages.locate(pathPage[depth + 1], pages.commitNumber());
    }
  }

  private void changeRoot() {
    rootPage = pages.change(rootPage, rootBirth);
    rootBirth = pages.commitNumber();
    pathPage[0] = rootPage;
    pathOffset[0] = pages.locate(rootPage, rootBirth);
    TreeReader.requireLevel(m, pathOffset[0], rootPage, height - 1);
  }

  /** Makes a child of a changeable branch changeable; returns its page. */
  private int changeChild(long parent, int index, int level) {
    int child = TreePage.child(m, parent, index);
    long birth = TreePage.childBirth(m, parent, index);
    int changed = pages.change(child, birth);
    long number = pages.commitNumber();
    if (changed != child || birth != number) {
      TreePage.setChild(m, parent, index, changed, number);
    }
    TreeReader.requireLevel(m, pages.locate(changed, number), changed, level);
    return changed;
  }

  private void replace(
      int depth,
      long leaf,
      int index,
      byte[] source,
      int keyOffset,
      int keyLength,
      int valueOffset,
      int valueLength) {
    if (valueLength <= ((int) TreePage.value(m, leaf, index) & 0xFFFF)) {
      TreePage.replaceValue(m, leaf, index, source, valueOffset, valueLength);
      return;
    }
    // An entry that grows right after it was inserted must not break a run of insertions.
    int last = TreePage.lastInsert(m, leaf);
    int run = TreePage.runLength(m, leaf);
    TreePage.remove(m, leaf, index, index + 1);
    TreePage.setRun(m, leaf, last, run);
    TreePage.takeBackInsertion(m, leaf, index);
    if (insertEntryIfRoom(leaf, index, source, keyOffset, keyLength, valueOffset, valueLength)) {
      TreePage.setRun(m, leaf, last, run);
    } else {
      insertAnew(depth, leaf, index, source, keyOffset, keyLength, valueOffset, valueLength);
    }
  }

  private void insert(
      int depth,
      long leaf,
      int index,
      byte[] source,
      int keyOffset,
      int keyLength,
      int valueOffset,
      int valueLength) {
    if (insertEntryIfRoom(leaf, index, source, keyOffset, keyLength, valueOffset, valueLength)) {
      if (index == TreePage.count(m, leaf) - 1 && isBoundKnown(leaf)) {
        tailLeaf = pathPage[depth];
        tailEntries = index + 1;
      }
    } else if (!splitTail(
        depth, leaf, index, source, keyOffset, keyLength, valueOffset, valueLength)) {
      insertAnew(depth, leaf, index, source, keyOffset, keyLength, valueOffset, valueLength);
    }
  }

  /** Inserts an entry into a leaf if that needs no split and no shorter prefix. */
  private boolean insertEntryIfRoom(
      long leaf,
      int index,
      byte[] source,
      int keyOffset,
      int keyLength,
      int valueOffset,
      int valueLength) {
    int prefix = TreePage.prefixLength(m, leaf);
    if (prefix > 0 && TreePage.comparePrefix(m, leaf, prefix, source, keyOffset, keyLength) != 0) {
      return false;
    }
    int bytes = TreePage.LEAF_CELL_BYTES + TreePage.inCell(keyLength - prefix) + valueLength;
    if (!TreePage.fits(m, leaf, bytes)) {
      if (!TreePage.fitsCompacted(m, leaf, bytes)) {
        return false;
      }
      compact(leaf);
    }
    TreePage.insertLeaf(m, leaf, index, source, keyOffset, keyLength, valueOffset, valueLength);
    return true;
  }

  /**
   * Inserts an entry by laying its leaf out anew, over two pages or more where one is too small.
   */
  private void insertAnew(
      int depth,
      long leaf,
      int index,
      byte[] source,
      int keyOffset,
      int keyLength,
      int valueOffset,
      int valueLength) {
    int cellCount = TreePage.count(m, leaf);
    cells.begin(0);
    cells.load(0, m, leaf);
    cells.add(0, 0, index);
    cells.addNew(source, keyOffset, keyLength, valueOffset, valueLength);
    cells.add(0, index, cellCount);
    buildOrSplit(depth, leaf);
  }

  /**
   * Splits the last leaf of all where an ascending run has filled it: the new entry begins a leaf
   * of its own, the full one only gets a fence.
   *
   * @return false, and nothing has changed, if that is not the case
   */
  private boolean splitTail(
      int depth,
      long leaf,
      int index,
      byte[] source,
      int keyOffset,
      int keyLength,
      int valueOffset,
      int valueLength) {
    int run = TreePage.nextRun(TreePage.lastInsert(m, leaf), TreePage.runLength(m, leaf), index);
    int prefix = TreePage.prefixLength(m, leaf);
    if (run < RUN_MIN
        || index != TreePage.count(m, leaf)
        || TreePage.upperFenceRest(m, leaf) != PageFormat.NO_FENCE
        || TreePage.comparePrefix(m, leaf, prefix, source, keyOffset, keyLength) != 0) {
      return false;
    }
    int before = TreePage.copyKey(m, leaf, index - 1, oldSeparator);
    System.arraycopy(source, keyOffset, separator, 0, keyLength);
    int separatorLength =
        Math.min(keyLength, CellRun.common(oldSeparator, before, separator, keyLength) + 1);
    if (!TreePage.addUpperFence(m, leaf, separator, separatorLength)) {
      return false;
    }
    int right = pages.allocate();
    long rightAt = pages.locate(right, pages.commitNumber());
    int lowerLength = TreePage.copyLowerFence(m, leaf, lower);
    cells.begin(0);
    cells.addNew(source, keyOffset, keyLength, valueOffset, valueLength);
    cells.limitPrefix(
        lowerLength < 0 ? prefix : CellRun.common(lower, lowerLength, separator, separatorLength));
    cells.buildWithRun(m, rightAt, 0, 1, separator, separatorLength, upper, NO_KEY, 0, run);
    boolean isLast = isLastOfAll();
    insertChild(depth - 1, 0, separatorLength, right);
    if (isLast) {
      tailLeaf = right;
      tailEntries = 1;
    }
    return true;
  }

  /** Whether the leaf on the path itself tells which keys belong behind its last entry. */
  private boolean isBoundKnown(long leaf) {
    return TreePage.upperFenceRest(m, leaf) != PageFormat.NO_FENCE || isLastOfAll();
  }

  /** Whether the path leads to the last leaf. */
  private boolean isLastOfAll() {
    for (int depth = 0; depth < height - 1; depth++) {
      if (pathIndex[depth] != TreePage.count(m, pathOffset[depth]) - 1) {
        return false;
      }
    }
    return true;
  }

  private void compact(long page) {
    int last = TreePage.lastInsert(m, page);
    int run = TreePage.runLength(m, page);
    cells.begin(TreePage.level(m, page));
    // The key that is about to be inserted shares this prefix, perhaps not a longer one.
    cells.limitPrefix(TreePage.prefixLength(m, page));
    cells.load(0, m, page);
    cells.add(0, 0, TreePage.count(m, page));
    int lowerLength = TreePage.copyLowerFence(m, page, lower);
    int upperLength = TreePage.copyUpperFence(m, page, upper);
    cells.buildWithRun(
        m, page, 0, cells.count(), lower, lowerLength, upper, upperLength, last, run);
  }

  /** Lays the page out anew with the row of cells, or divides them over it and a new one. */
  private void buildOrSplit(int depth, long page) {
    int last = TreePage.lastInsert(m, page);
    int run = TreePage.runLength(m, page);
    int lowerLength = TreePage.copyLowerFence(m, page, lower);
    int upperLength = TreePage.copyUpperFence(m, page, upper);
    int all = cells.count();
    if (cells.fitsPage(0, all, lower, lowerLength, upper, upperLength)) {
      int newIndex = cells.newIndex();
      int nextRun = TreePage.nextRun(last, run, newIndex);
      cells.buildWithRun(
          m, page, 0, all, lower, lowerLength, upper, upperLength, newIndex, nextRun);
      return;
    }
    int at = splitPoint(last, run, lowerLength, upperLength);
    if (at == NO_SPLIT) {
      splitWidely(page, lowerLength, upperLength);
      return;
    }
    int newRun = TreePage.nextRun(last, run, cells.newIndex());
    int level = TreePage.level(m, page);
    int separatorLength = cells.separator(at, separator);
    int right = pages.allocate();
    long rightAt = pages.locate(right, pages.commitNumber());
    buildHalf(page, 0, at, lowerLength, separatorLength, newRun, true, upperLength);
    buildHalf(rightAt, at, all, lowerLength, separatorLength, newRun, false, upperLength);
    insertChild(depth - 1, level, separatorLength, right);
  }

  private void buildHalf(
      long page,
      int from,
      int to,
      int lowerLength,
      int separatorLength,
      int run,
      boolean isLeft,
      int upperLength) {
    int newIndex = cells.newIndex() - from;
    boolean holdsNew = newIndex >= 0 && newIndex < to - from;
    cells.buildWithRun(
        m,
        page,
        from,
        to,
        isLeft ? lower : separator,
        isLeft ? lowerLength : separatorLength,
        isLeft ? separator : upper,
        isLeft ? separatorLength : upperLength,
        holdsNew ? newIndex : 0,
        holdsNew ? run : 0);
  }

  /**
   * Divides the cells of a leaf over more than two pages. That is needed where large entries stand
   * beside long fences, or where a new key takes a long prefix from large entries. A page of one
   * entry always fits, so this always ends. Rare, so it may allocate.
   */
  private void splitWidely(long page, int lowerLength, int upperLength) {
    if (TreePage.level(m, page) > 0) {
      throw new CorruptPageException(-1, "a branch holds cells that no two pages can hold");
    }
    int all = cells.count();
    byte[] bound = java.util.Arrays.copyOf(lower, Math.max(0, lowerLength));
    int boundLength = lowerLength;
    List<byte[]> separators = new ArrayList<>();
    List<Integer> made = new ArrayList<>();
    long target = page;
    for (int from = 0; from < all; ) {
      int to = widestFit(from, bound, boundLength, upperLength);
      int endLength = to == all ? upperLength : cells.separator(to, separator);
      byte[] end = to == all ? upper : java.util.Arrays.copyOf(separator, endLength);
      cells.build(m, target, from, to, bound, boundLength, end, endLength);
      if (to < all) {
        separators.add(end);
        made.add(pages.allocate());
        target = pages.locate(made.getLast(), pages.commitNumber());
      }
      bound = end;
      boundLength = endLength;
      from = to;
    }
    for (int i = 0; i < made.size(); i++) {
      byte[] key = separators.get(i);
      // The page before is where the tree still sends this key; the branches may have split.
      changePathTo(key, 0, key.length);
      System.arraycopy(key, 0, separator, 0, key.length);
      insertChild(height - 2, 0, key.length, made.get(i));
    }
  }

  /** The end of the longest range of cells from one on that fits a page with this lower fence. */
  private int widestFit(int from, byte[] bound, int boundLength, int upperLength) {
    int all = cells.count();
    cells.limitPrefix(PageFormat.KEY_BYTES_MAX);
    for (int to = all; to > from; to--) {
      int endLength = to == all ? upperLength : cells.separator(to, separator);
      byte[] end = to == all ? upper : separator;
      if (cells.fitsPage(from, to, bound, boundLength, end, endLength)) {
        return to;
      }
    }
    throw new CorruptPageException(-1, "an entry does not fit a page");
  }

  /** The first cell of the right page: the policy of splits; {@link #NO_SPLIT} if none fits. */
  private int splitPoint(int last, int run, int lowerLength, int upperLength) {
    int all = cells.count();
    int fresh = cells.newIndex();
    int nextRun = TreePage.nextRun(last, run, fresh);
    if (nextRun >= RUN_MIN) {
      // Ascending: what lies behind the run is left full, the run goes on in a page with room.
      int at = fresh == all - 1 ? fresh : fresh + 1;
      if (fitsAt(at, lowerLength, upperLength)) {
        return at;
      }
      if (fitsAt(fresh, lowerLength, upperLength)) {
        return fresh;
      }
    } else if (nextRun <= -RUN_MIN) {
      int at = fresh == 0 ? 1 : fresh;
      if (fitsAt(at, lowerLength, upperLength)) {
        return at;
      }
    }
    return middle(lowerLength, upperLength);
  }

  /**
   * The place where both halves have about the same size, among those where both fit; {@link
   * #NO_SPLIT} if there is none.
   */
  private int middle(int lowerLength, int upperLength) {
    int all = cells.count();
    int total = 0;
    for (int i = 0; i < all; i++) {
      total += cells.bytesOf(i, 0, false);
    }
    int at = 0;
    int left = 0;
    while (at < all - 1 && left < total / 2) {
      left += cells.bytesOf(at++, 0, false);
    }
    at = Math.max(1, at);
    for (int distance = 0; distance < all; distance++) {
      if (at - distance >= 1 && fitsAt(at - distance, lowerLength, upperLength)) {
        return at - distance;
      }
      if (at + distance < all && fitsAt(at + distance, lowerLength, upperLength)) {
        return at + distance;
      }
    }
    return NO_SPLIT;
  }

  private boolean fitsAt(int at, int lowerLength, int upperLength) {
    if (at < 1 || at >= cells.count()) {
      return false;
    }
    int separatorLength = cells.separator(at, separator);
    cells.limitPrefix(PageFormat.KEY_BYTES_MAX);
    cells.limitPrefix(
        Math.min(
            cells.prefixFor(0, at, lower, lowerLength, separator, separatorLength),
            cells.prefixFor(at, cells.count(), separator, separatorLength, upper, upperLength)));
    if (halvesFit(at, separatorLength, lowerLength, upperLength)) {
      return true;
    }
    // A key that shares nothing with the others must not take their prefix from them.
    cells.limitPrefix(PageFormat.KEY_BYTES_MAX);
    return halvesFit(at, separatorLength, lowerLength, upperLength);
  }

  private boolean halvesFit(int at, int separatorLength, int lowerLength, int upperLength) {
    return cells.fitsPage(0, at, lower, lowerLength, separator, separatorLength)
        && cells.fitsPage(at, cells.count(), separator, separatorLength, upper, upperLength);
  }

  /** Puts a new page, right of the one on the path, into the branch above. */
  private void insertChild(int depth, int level, int separatorLength, int right) {
    long number = pages.commitNumber();
    if (depth < 0) {
      growRoot(level, separatorLength, right);
      return;
    }
    long branch = pathOffset[depth];
    int index = pathIndex[depth] + 1;
    if (insertChildIfRoom(branch, index, separatorLength, right, number)) {
      return;
    }
    int cellCount = TreePage.count(m, branch);
    byte[] key = java.util.Arrays.copyOf(separator, separatorLength);
    cells.begin(level + 1);
    cells.load(0, m, branch);
    cells.add(0, 0, index);
    cells.addNewChild(key, 0, separatorLength, right, number);
    cells.add(0, index, cellCount);
    buildOrSplit(depth, branch);
  }

  /** Inserts a child with the present separator into a branch if that needs no split. */
  private boolean insertChildIfRoom(
      long branch, int index, int separatorLength, int child, long birth) {
    int prefix = TreePage.prefixLength(m, branch);
    if (prefix > 0
        && TreePage.comparePrefix(m, branch, prefix, separator, 0, separatorLength) != 0) {
      return false;
    }
    int bytes = TreePage.BRANCH_CELL_BYTES + TreePage.inCell(separatorLength - prefix);
    if (!TreePage.fits(m, branch, bytes)) {
      if (!TreePage.fitsCompacted(m, branch, bytes)) {
        return false;
      }
      compact(branch);
      if (!TreePage.fits(m, branch, bytes)) {
        return false;
      }
    }
    TreePage.insertBranch(m, branch, index, separator, 0, separatorLength, child, birth);
    return true;
  }

  private void growRoot(int level, int separatorLength, int right) {
    if (height == PageFormat.HEIGHT_MAX) {
      throw new CorruptPageException(rootPage, "the tree is higher than any tree can be");
    }
    long number = pages.commitNumber();
    int root = pages.allocate();
    long at = pages.locate(root, number);
    cells.begin(level + 1);
    cells.addNewChild(separator, 0, 0, rootPage, rootBirth);
    cells.build(m, at, 0, 1, lower, NO_KEY, upper, NO_KEY);
    TreePage.insertBranch(m, at, 1, separator, 0, separatorLength, right, number);
    rootPage = root;
    rootBirth = number;
    height++;
  }

  // ------------------------------------------------------------------ delete

  /**
   * Deletes a key; no page changes if it is not there.
   *
   * @return whether it was there
   */
  public boolean delete(byte[] source, int keyOffset, int keyLength) {
    if (rootPage == 0
        || TreeReader.find(pages, rootPage, rootBirth, height, source, keyOffset, keyLength) < 0) {
      return false;
    }
    pages.beginOperation();
    changePathTo(source, keyOffset, keyLength);
    int depth = height - 1;
    long leaf = pathOffset[depth];
    int found = TreePage.search(m, leaf, source, keyOffset, keyLength);
    if (found < 0) {
      throw new CorruptPageException(pathPage[depth], "a key that was found is gone");
    }
    TreePage.remove(m, leaf, found, found + 1);
    count--;
    mendPath(depth);
    return true;
  }

  /** From a leaf up: empty pages are taken out, underfull ones merged or filled up. */
  private void mendPath(int leafDepth) {
    for (int depth = leafDepth; depth > 0; depth--) {
      long page = pathOffset[depth];
      long parent = pathOffset[depth - 1];
      int index = pathIndex[depth - 1];
      int level = height - 1 - depth;
      if (TreePage.count(m, page) == 0) {
        pages.free(pathPage[depth], pages.commitNumber());
        takeOutChildren(parent, index, index + 1, level);
      } else if (isUnderfull(page, level)) {
        mend(parent, index, level);
      } else {
        break;
      }
    }
    shrinkRoot();
  }

  private boolean isUnderfull(long page, int level) {
    return TreePage.usedBytes(m, page) < UNDERFULL_BYTES
        || (level > 0 && TreePage.count(m, page) < 2);
  }

  /**
   * Takes children out of a branch. The gap they leave goes to the child before, or to the one
   * behind if there is none: the pages along that side forget the fence that no longer bounds them.
   */
  private void takeOutChildren(long parent, int from, int to, int childLevel) {
    int cellCount = TreePage.count(m, parent);
    TreePage.remove(m, parent, from, to);
    if (to - from == cellCount) {
      return;
    }
    if (from > 0) {
      openSpine(parent, from - 1, childLevel, false);
    } else {
      TreePage.clearFirstKey(m, parent);
      openSpine(parent, 0, childLevel, true);
    }
  }

  /**
   * Drops the lower fences down the left side of a child, or the upper ones down its right side.
   */
  private void openSpine(long parent, int index, int childLevel, boolean isLeft) {
    long branch = parent;
    int child = index;
    for (int level = childLevel; level >= 0; level--) {
      int page = changeChild(branch, child, level);
      long at = pages.locate(page, pages.commitNumber());
      if (isLeft) {
        TreePage.dropLowerFence(m, at);
      } else {
        TreePage.dropUpperFence(m, at);
      }
      branch = at;
      child = isLeft ? 0 : TreePage.count(m, at) - 1;
    }
  }

  /**
   * Merges an underfull child with a neighbour, or divides what it and a neighbour hold evenly. The
   * left one is asked first: behind deletes that run upward it has been thinned out already.
   */
  private void mend(long parent, int index, int level) {
    int last = TreePage.count(m, parent) - 1;
    if (last < 1
        || (index > 0 && mergeIfRoom(parent, index - 1, level))
        || (index < last && mergeIfRoom(parent, index, level))) {
      return;
    }
    int left = index < last ? index : index - 1;
    loadBoth(parent, left, level);
    redistribute(parent, left, level);
  }

  /** Merges a child with the one right of it if one page holds both and has some room left. */
  private boolean mergeIfRoom(long parent, int left, int level) {
    loadBoth(parent, left, level);
    int all = cells.count();
    if (cells.bytesFor(0, all, lower, bothLowerLength, upper, bothUpperLength) > MERGED_BYTES_MAX) {
      return false;
    }
    int rightPage = TreePage.child(m, parent, left + 1);
    long rightBirth = TreePage.childBirth(m, parent, left + 1);
    long target = pages.locate(changeChild(parent, left, level), pages.commitNumber());
    cells.build(m, target, 0, all, lower, bothLowerLength, upper, bothUpperLength);
    pages.free(rightPage, rightBirth);
    TreePage.remove(m, parent, left + 1, left + 2);
    return true;
  }

  /** Takes the cells of a child and of the one right of it, and the fences around the two. */
  private void loadBoth(long parent, int left, int level) {
    long leftAt = locateChild(parent, left, level);
    long rightAt = locateChild(parent, left + 1, level);
    cells.begin(level);
    cells.load(0, m, leftAt);
    cells.load(1, m, rightAt);
    cells.joinAt(oldSeparator, TreePage.copyKey(m, parent, left + 1, oldSeparator));
    cells.add(0, 0, TreePage.count(m, leftAt));
    bothLeftCount = cells.count();
    cells.add(1, 0, TreePage.count(m, rightAt));
    bothLowerLength = TreePage.copyLowerFence(m, leftAt, lower);
    bothUpperLength = TreePage.copyUpperFence(m, rightAt, upper);
  }

  private long locateChild(long parent, int index, int level) {
    int page = TreePage.child(m, parent, index);
    long at = pages.locate(page, TreePage.childBirth(m, parent, index));
    TreeReader.requireLevel(m, at, page, level);
    return at;
  }

  /** Divides the loaded cells evenly, if the branch has room for the new separator. */
  private void redistribute(long parent, int left, int level) {
    int at = middle(bothLowerLength, bothUpperLength);
    if (at == bothLeftCount || at == NO_SPLIT) {
      return;
    }
    int separatorLength = cells.separator(at, separator);
    int prefix = TreePage.prefixLength(m, parent);
    boolean sharesPrefix =
        prefix == 0
            || TreePage.comparePrefix(m, parent, prefix, separator, 0, separatorLength) == 0;
    int grown = TreePage.inCell(separatorLength - prefix);
    int had = TreePage.inCell(TreePage.keyRest(m, parent, left + 1));
    if (!sharesPrefix || TreePage.usedBytes(m, parent) + grown - had > TreePage.CAPACITY_BYTES) {
      return; // underfull, but whole: it is mended when the branch has room
    }
    int leftPage = changeChild(parent, left, level);
    int rightPage = changeChild(parent, left + 1, level);
    long number = pages.commitNumber();
    long leftAt = pages.locate(leftPage, number);
    long rightAt = pages.locate(rightPage, number);
    cells.build(m, leftAt, 0, at, lower, bothLowerLength, separator, separatorLength);
    cells.build(m, rightAt, at, cells.count(), separator, separatorLength, upper, bothUpperLength);
    TreePage.remove(m, parent, left + 1, left + 2);
    if (!insertChildIfRoom(parent, left + 1, separatorLength, rightPage, number)) {
      throw new IllegalStateException("a separator that was measured does not fit");
    }
  }

  /** A root without entries is no root; a branch with one child is not needed. */
  private void shrinkRoot() {
    while (height > 0) {
      long at = pages.locate(rootPage, rootBirth);
      int cellCount = TreePage.count(m, at);
      if (cellCount == 0) {
        pages.free(rootPage, rootBirth);
        rootPage = 0;
        rootBirth = 0;
        height = 0;
      } else if (cellCount == 1 && height > 1) {
        int child = TreePage.child(m, at, 0);
        long birth = TreePage.childBirth(m, at, 0);
        pages.free(rootPage, rootBirth);
        rootPage = child;
        rootBirth = birth;
        height--;
      } else {
        return;
      }
    }
  }

  // ------------------------------------------------------------------ range delete

  private byte[] rangeFrom;
  private int rangeFromOffset;
  private int rangeFromLength;
  private byte[] rangeTo;
  private int rangeToOffset;
  private int rangeToLength;

  /**
   * Deletes all keys from one, inclusive, to another, exclusive; a null array is no bound. Subtrees
   * that lie within the range are freed with no more than a look at each page.
   *
   * @return how many entries there were
   */
  public long deleteRange(
      byte[] from, int fromOffset, int fromLength, byte[] to, int toOffset, int toLength) {
    rangeFrom = from;
    rangeFromOffset = fromOffset;
    rangeFromLength = fromLength;
    rangeTo = to;
    rangeToOffset = toOffset;
    rangeToLength = toLength;
    if (rootPage == 0 || isRangeEmpty() || !touchesAnything()) {
      return 0;
    }
    pages.beginOperation();
    changeRoot();
    long deleted = deleteIn(pathOffset[0], height - 1, from != null, to != null);
    count -= deleted;
    shrinkRoot();
    return deleted;
  }

  private boolean isRangeEmpty() {
    return rangeFrom != null
        && rangeTo != null
        && java.util.Arrays.compareUnsigned(
                rangeFrom,
                rangeFromOffset,
                rangeFromOffset + rangeFromLength,
                rangeTo,
                rangeToOffset,
                rangeToOffset + rangeToLength)
            >= 0;
  }

  /** Looks, without changing a page, whether there is an entry in the range. */
  private boolean touchesAnything() {
    RangeProbe probe = new RangeProbe(pages, rootPage, rootBirth, height);
    return probe.hasEntry(
        rangeFrom, rangeFromOffset, rangeFromLength, rangeTo, rangeToOffset, rangeToLength);
  }

  /** Deletes within a changeable page; the caller takes it out if nothing is left. */
  private long deleteIn(long page, int level, boolean hasFrom, boolean hasTo) {
    int cellCount = TreePage.count(m, page);
    if (level == 0) {
      int first = hasFrom ? lowerBound(page, rangeFrom, rangeFromOffset, rangeFromLength) : 0;
      int end = hasTo ? lowerBound(page, rangeTo, rangeToOffset, rangeToLength) : cellCount;
      if (first < end) {
        TreePage.remove(m, page, first, end);
      }
      return Math.max(0, end - first);
    }
    int first =
        hasFrom ? TreePage.searchChild(m, page, rangeFrom, rangeFromOffset, rangeFromLength) : 0;
    int last =
        hasTo
            ? TreePage.searchChild(m, page, rangeTo, rangeToOffset, rangeToLength)
            : cellCount - 1;
    return deleteChildren(page, level - 1, first, last, hasFrom, hasTo);
  }

  private int lowerBound(long page, byte[] key, int offset, int length) {
    int found = TreePage.search(m, page, key, offset, length);
    return found >= 0 ? found : -1 - found;
  }

  private long deleteChildren(
      long page, int childLevel, int first, int last, boolean hasFrom, boolean hasTo) {
    long deleted = 0;
    boolean isFirstPartial = hasFrom || (first == last && hasTo);
    boolean isLastPartial = first != last && hasTo;
    int from = first;
    int to = last + 1;
    for (int i = first; i <= last; i++) {
      if (i == first && isFirstPartial) {
        deleted += deletePart(page, i, childLevel, hasFrom, first == last && hasTo);
        from = isChildEmpty(page, i) ? i : i + 1;
      } else if (i == last && isLastPartial) {
        deleted += deletePart(page, i, childLevel, false, true);
        to = isChildEmpty(page, i) ? i + 1 : i;
      } else {
        deleted +=
            freeSubtree(TreePage.child(m, page, i), TreePage.childBirth(m, page, i), childLevel);
      }
    }
    freeIfEmptied(page, first, isFirstPartial && from == first);
    freeIfEmptied(page, last, isLastPartial && to == last + 1);
    if (from < to) {
      takeOutChildren(page, from, to, childLevel);
    }
    mendAround(page, Math.min(from, first), childLevel);
    return deleted;
  }

  private long deletePart(long page, int index, int childLevel, boolean hasFrom, boolean hasTo) {
    int child = changeChild(page, index, childLevel);
    return deleteIn(pages.locate(child, pages.commitNumber()), childLevel, hasFrom, hasTo);
  }

  private boolean isChildEmpty(long page, int index) {
    long child = pages.locate(TreePage.child(m, page, index), TreePage.childBirth(m, page, index));
    return TreePage.count(m, child) == 0;
  }

  private void freeIfEmptied(long page, int index, boolean isEmptied) {
    if (isEmptied) {
      pages.free(TreePage.child(m, page, index), TreePage.childBirth(m, page, index));
    }
  }

  /** Mends the up to two children at the edges of what was deleted. */
  private void mendAround(long page, int index, int childLevel) {
    for (int i = Math.max(0, index - 1); i <= index + 1; i++) {
      if (i < TreePage.count(m, page) && TreePage.count(m, page) > 1) {
        long child = pages.locate(TreePage.child(m, page, i), TreePage.childBirth(m, page, i));
        if (isUnderfull(child, childLevel)) {
          mend(page, i, childLevel);
        }
      }
    }
  }

  private long freeSubtree(int page, long birth, int level) {
    long at = pages.locate(page, birth);
    TreeReader.requireLevel(m, at, page, level);
    int cellCount = TreePage.count(m, at);
    long entries = level == 0 ? cellCount : 0;
    for (int i = 0; level > 0 && i < cellCount; i++) {
      entries += freeSubtree(TreePage.child(m, at, i), TreePage.childBirth(m, at, i), level - 1);
    }
    pages.free(page, birth);
    return entries;
  }
}
