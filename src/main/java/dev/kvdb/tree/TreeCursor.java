package dev.kvdb.tree;

import dev.kvdb.page.Faults;
import dev.kvdb.page.PageFormat;
import dev.kvdb.page.TreePage;
import dev.kvdb.pager.PageReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Walks over one tree that does not change, both ways. One thread at a time.
 *
 * <p>It stands before the first entry, on one, or behind the last. There are no links between
 * leaves: the cursor keeps the path from the root and enters the pages only to cross from one leaf
 * to another. A leaf in a frame is copied then and walked in the copy; one in the window is read in
 * place.
 */
public final class TreeCursor {
  private static final long LINE_BYTES = 64;
  private static final int SLOT_BYTES = TreePage.SLOT_BYTES;

  private enum Position {
    BEFORE_FIRST,
    ON_ENTRY,
    AFTER_LAST
  }

  private final PageReader pages;
  private final MemorySegment memory;
  private final int rootPage;
  private final long rootBirth;
  private final int height;
  private final int openLeaf;
  private final int openEntries;
  private final int[] pathPage = new int[PageFormat.HEIGHT_MAX];
  private final long[] pathBirth = new long[PageFormat.HEIGHT_MAX];
  private final int[] pathIndex = new int[PageFormat.HEIGHT_MAX];
  private final byte[] key = new byte[2 * PageFormat.KEY_BYTES_MAX];
  private final MemorySegment keyMemory = MemorySegment.ofArray(key).asReadOnly();
  private final MemorySegment readOnlyMemory;

  /** Kept so that the compiler cannot leave out the reads that it is made of. */
  private long touchedWords;

  private MemorySegment copy;
  private MemorySegment readOnlyCopy;
  private MemorySegment leafMemory;
  private long leaf;
  private int leafCount;
  private int prefixLength;
  private int index;
  private int keyIndex;
  private int keyLength;
  private Position position = Position.BEFORE_FIRST;

  /** A cursor over a tree of which no leaf is open. */
  public TreeCursor(PageReader pages, int rootPage, long rootBirth, int height) {
    this(pages, rootPage, rootBirth, height, 0, 0);
  }

  /**
   * A cursor over the tree with this root, standing before the first entry; page 0 is no tree.
   *
   * @param openLeaf the leaf that newer commits may be appending to, 0 if there is none
   * @param openEntries how many of its entries belong to this tree (I-21)
   */
  public TreeCursor(
      PageReader pages, int rootPage, long rootBirth, int height, int openLeaf, int openEntries) {
    this.openLeaf = openLeaf;
    this.openEntries = openEntries;
    this.pages = pages;
    this.memory = pages.memory();
    this.readOnlyMemory = memory.asReadOnly();
    this.rootPage = rootPage;
    this.rootBirth = rootBirth;
    this.height = height;
  }

  // ------------------------------------------------------------------ moves

  /** Goes to the first entry; false, and behind the last, if there is none. */
  public boolean first() {
    if (rootPage == 0) {
      return atEnd(true);
    }
    int token = pages.enter();
    try {
      descendToEdge(0, rootPage, rootBirth, true);
    } finally {
      pages.exit(token);
    }
    return on(0);
  }

  /** Goes to the last entry; false, and before the first, if there is none. */
  public boolean last() {
    if (rootPage == 0) {
      return atEnd(false);
    }
    int token = pages.enter();
    try {
      descendToEdge(0, rootPage, rootBirth, false);
    } finally {
      pages.exit(token);
    }
    return on(leafCount - 1);
  }

  /** Goes to the next entry: the first from before the first; false behind the last. */
  public boolean next() {
    if (position == Position.ON_ENTRY) {
      return index + 1 < leafCount ? on(index + 1) : cross(true);
    }
    return position == Position.BEFORE_FIRST ? first() : false;
  }

  /** Goes to the entry before: the last from behind the last; false before the first. */
  public boolean previous() {
    if (position == Position.ON_ENTRY) {
      return index > 0 ? on(index - 1) : cross(false);
    }
    return position == Position.AFTER_LAST ? last() : false;
  }

  /** Goes to the first entry not below a key; behind the last if there is none. */
  public boolean seekAtLeast(byte[] target) {
    int found = seek(target);
    return onOrCross(found >= 0 ? found : -1 - found, true);
  }

  /** Goes to the first entry above a key; behind the last if there is none. */
  public boolean seekAbove(byte[] target) {
    int found = seek(target);
    return onOrCross(found >= 0 ? found + 1 : -1 - found, true);
  }

  /** Goes to the last entry not above a key; before the first if there is none. */
  public boolean seekAtMost(byte[] target) {
    int found = seek(target);
    return onOrCross(found >= 0 ? found : -2 - found, false);
  }

  /** Goes to the last entry below a key; before the first if there is none. */
  public boolean seekBelow(byte[] target) {
    int found = seek(target);
    return onOrCross(found >= 0 ? found - 1 : -2 - found, false);
  }

  private int seek(byte[] target) {
    if (rootPage == 0) {
      leafCount = 0;
      return -1;
    }
    int token = pages.enter();
    try {
      int page = rootPage;
      long birth = rootBirth;
      for (int depth = 0; depth < height - 1; depth++) {
        long at = locate(depth, page, birth);
        int child = TreePage.searchChild(memory, at, target, 0, target.length);
        pathIndex[depth] = child;
        page = TreePage.child(memory, at, child);
        birth = TreePage.childBirth(memory, at, child);
      }
      openLeaf(page, birth);
    } finally {
      pages.exit(token);
    }
    int found = TreePage.search(leafMemory, leaf, leafCount, target, 0, target.length);
    Faults.poll();
    return found;
  }

  private boolean onOrCross(int place, boolean forward) {
    if (place >= 0 && place < leafCount) {
      return on(place);
    }
    return rootPage == 0 ? atEnd(forward) : cross(forward);
  }

  private boolean on(int place) {
    index = place;
    keyIndex = -1;
    position = Position.ON_ENTRY;
    return true;
  }

  private boolean atEnd(boolean forward) {
    position = forward ? Position.AFTER_LAST : Position.BEFORE_FIRST;
    return false;
  }

  /** Goes to the neighbouring leaf. */
  private boolean cross(boolean forward) {
    int token = pages.enter();
    try {
      for (int depth = height - 2; depth >= 0; depth--) {
        long at = locate(depth, pathPage[depth], pathBirth[depth]);
        int next = pathIndex[depth] + (forward ? 1 : -1);
        if (next >= 0 && next < TreePage.count(memory, at)) {
          pathIndex[depth] = next;
          descendToEdge(
              depth + 1,
              TreePage.child(memory, at, next),
              TreePage.childBirth(memory, at, next),
              forward);
          return on(forward ? 0 : leafCount - 1);
        }
      }
      Faults.poll();
    } finally {
      pages.exit(token);
    }
    return atEnd(forward);
  }

  /** Notes a page of the path and finds it. */
  private long locate(int depth, int page, long birth) {
    pathPage[depth] = page;
    pathBirth[depth] = birth;
    long at = pages.locate(page, birth);
    TreeReader.requireLevel(memory, at, page, height - 1 - depth);
    return at;
  }

  private void descendToEdge(int fromDepth, int fromPage, long fromBirth, boolean first) {
    int page = fromPage;
    long birth = fromBirth;
    for (int depth = fromDepth; depth < height - 1; depth++) {
      long at = locate(depth, page, birth);
      int child = first ? 0 : TreePage.count(memory, at) - 1;
      pathIndex[depth] = child;
      page = TreePage.child(memory, at, child);
      birth = TreePage.childBirth(memory, at, child);
    }
    openLeaf(page, birth);
  }

  /**
   * Reads a word of every used cache line of a leaf in the window, in ascending order, so that the
   * processor fetches ahead: a walk would meet the misses one after the other, in the order of
   * keys.
   */
  private static long touchLines(MemorySegment m, long leaf) {
    long slotsEnd = leaf + PageFormat.HEADER_BYTES + (long) TreePage.count(m, leaf) * SLOT_BYTES;
    long words = 0;
    for (long at = leaf; at < slotsEnd; at += LINE_BYTES) {
      words ^= m.get(PageFormat.LONG, at);
    }
    long heapStart = (leaf + TreePage.heapStart(m, leaf)) / LINE_BYTES * LINE_BYTES;
    for (long at = heapStart; at < leaf + PageFormat.PAGE_BYTES; at += LINE_BYTES) {
      words ^= m.get(PageFormat.LONG, at);
    }
    return words;
  }

  private void openLeaf(int page, long birth) {
    long at = pages.locate(page, birth);
    TreeReader.requireLevel(memory, at, page, 0);
    if (pages.isStable(at)) {
      leafMemory = memory;
      leaf = at;
      touchedWords = touchLines(memory, at);
    } else {
      if (copy == null) {
        copy = Arena.ofAuto().allocate(PageFormat.PAGE_BYTES, Long.BYTES);
        readOnlyCopy = copy.asReadOnly();
      }
      TreePage.copyPage(memory, at, copy, 0);
      leafMemory = copy;
      leaf = 0;
    }
    leafCount = page == openLeaf ? openEntries : TreePage.count(leafMemory, leaf);
    prefixLength = TreePage.copyPrefix(leafMemory, leaf, key);
    keyIndex = -1;
    Faults.poll();
  }

  // ------------------------------------------------------------------ the entry

  private void requireEntry() {
    if (position != Position.ON_ENTRY) {
      throw new IllegalStateException(
          "the cursor stands on no entry (move it to one and look at what the move returned)");
    }
  }

  /** The key of the entry in a buffer that the next move overwrites; see {@link #keyLength}. */
  public byte[] keyBuffer() {
    assembleKey();
    return key;
  }

  /** The length of the key in bytes. */
  public int keyLength() {
    assembleKey();
    return keyLength;
  }

  private void assembleKey() {
    if (keyIndex != index || position != Position.ON_ENTRY) {
      requireEntry();
      keyLength = TreePage.copyKeyRest(leafMemory, leaf, index, key, prefixLength);
      pollIfMapped();
      keyIndex = index;
    }
  }

  /** The value's place and its length, as (offset &lt;&lt; 16 | length). */
  public long value() {
    requireEntry();
    long value = TreePage.value(leafMemory, leaf, index);
    pollIfMapped();
    return value;
  }

  /** The key of the entry, read-only and not copied; good until the next move. */
  public MemorySegment keyView() {
    assembleKey();
    return keyMemory.asSlice(0, keyLength);
  }

  /** The value, read-only and not copied; good until the next move. */
  public MemorySegment valueView() {
    long value = value();
    MemorySegment from = leafMemory == memory ? readOnlyMemory : readOnlyCopy;
    return from.asSlice(value >>> 16, value & 0xFFFF);
  }

  /** A leaf that was copied to private memory cannot fault (I-20). */
  private void pollIfMapped() {
    if (leafMemory == memory) {
      Faults.poll();
    }
  }

  /** A copy of the value. */
  public byte[] copyValue() {
    long value = value();
    byte[] bytes = new byte[(int) value & 0xFFFF];
    MemorySegment.copy(leafMemory, PageFormat.BYTE, value >>> 16, bytes, 0, bytes.length);
    pollIfMapped();
    return bytes;
  }
}
