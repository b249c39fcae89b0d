package dev.kvdb.page;

import static dev.kvdb.page.PageFormat.BYTE;
import static dev.kvdb.page.PageFormat.HEADER_BYTES;
import static dev.kvdb.page.PageFormat.INT;
import static dev.kvdb.page.PageFormat.LONG;
import static dev.kvdb.page.PageFormat.NO_FENCE;
import static dev.kvdb.page.PageFormat.PAGE_BYTES;
import static dev.kvdb.page.PageFormat.SHORT;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * One page of the tree: slots in key order behind the header, cells in a heap that grows down, and
 * at the very end the prefix and the fences.
 *
 * <pre>
 * | header | slot 0 | slot 1 | ... free ... | cell | cell | upper fence | lower fence | prefix |
 * </pre>
 *
 * <p>A slot is the cell's offset u16, the length of its key behind the prefix u16, and the first
 * four bytes of that key as a big-endian number, the head. The cell of a leaf is the value's length
 * u16, the key behind its head, the value; that of a branch the child's page u32, its birth u64,
 * the key behind its head. The first key of a branch is empty and stands for minus infinity.
 *
 * <p>All methods are static and take the segment and the page's offset in it. They check nothing
 * but bounds; {@link PageChecker} checks the rest.
 */
public final class TreePage {
  /** Bytes a slot. */
  public static final int SLOT_BYTES = 8;

  /** Bytes of a key that lie in its slot. */
  public static final int HEAD_BYTES = 4;

  /** What a leaf cell holds before the key: the value's length. */
  public static final int LEAF_CELL_BYTES = 2;

  /** What a branch cell holds before the key: the child's page and birth. */
  public static final int BRANCH_CELL_BYTES = 12;

  private static final int BRANCH_BIRTH = 4;

  /** What slots, cells, prefix and fences share. */
  public static final int CAPACITY_BYTES = PAGE_BYTES - HEADER_BYTES;

  /** A smaller gap costs less to copy than to leave out. */
  private static final int COPIED_GAP_BYTES_MAX = 512;

  private static final int OFFSET_MASK = 0xFFFF;
  private static final int LENGTH_SHIFT = 16;
  private static final int HEAD_SHIFT = 32;

  private static final ValueLayout.OfLong LONG_BIG_ENDIAN =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final VarHandle KEY_LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle KEY_INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private TreePage() {}

  // ------------------------------------------------------------------ header

  private static int u16(MemorySegment m, long at) {
    return Short.toUnsignedInt(m.get(SHORT, at));
  }

  private static void putU16(MemorySegment m, long at, int value) {
    m.set(SHORT, at, (short) value);
  }

  /** The page's type. */
  public static int type(MemorySegment m, long page) {
    return m.get(BYTE, page + PageFormat.TYPE);
  }

  /** Its height above the leaves. */
  public static int level(MemorySegment m, long page) {
    return m.get(BYTE, page + PageFormat.LEVEL);
  }

  /** Its cells. */
  public static int count(MemorySegment m, long page) {
    return u16(m, page + PageFormat.CELL_COUNT);
  }

  static void setCount(MemorySegment m, long page, int count) {
    putU16(m, page + PageFormat.CELL_COUNT, count);
  }

  /** Offset of the lowest byte of the heap. */
  public static int heapStart(MemorySegment m, long page) {
    return u16(m, page + PageFormat.HEAP_START);
  }

  static void setHeapStart(MemorySegment m, long page, int offset) {
    putU16(m, page + PageFormat.HEAP_START, offset);
  }

  /** Bytes of the heap that no cell uses. */
  public static int freedBytes(MemorySegment m, long page) {
    return u16(m, page + PageFormat.FREED_BYTES);
  }

  static void setFreedBytes(MemorySegment m, long page, int bytes) {
    putU16(m, page + PageFormat.FREED_BYTES, bytes);
  }

  /** Length of the prefix. */
  public static int prefixLength(MemorySegment m, long page) {
    return u16(m, page + PageFormat.PREFIX_LENGTH);
  }

  /** Length of the lower fence behind the prefix, or {@link PageFormat#NO_FENCE}. */
  public static int lowerFenceRest(MemorySegment m, long page) {
    return u16(m, page + PageFormat.LOWER_FENCE_LENGTH);
  }

  /** Length of the upper fence behind the prefix, or {@link PageFormat#NO_FENCE}. */
  public static int upperFenceRest(MemorySegment m, long page) {
    return u16(m, page + PageFormat.UPPER_FENCE_LENGTH);
  }

  /** Whether it has both fences, so that every key that belongs here shares the prefix. */
  public static boolean isFenced(MemorySegment m, long page) {
    return lowerFenceRest(m, page) != NO_FENCE && upperFenceRest(m, page) != NO_FENCE;
  }

  /** Length of what lies behind the heap: prefix and fences. */
  static int tailBytes(int prefixLength, int lowerRest, int upperRest) {
    return prefixLength
        + (lowerRest == NO_FENCE ? 0 : lowerRest)
        + (upperRest == NO_FENCE ? 0 : upperRest);
  }

  /** Offset in the page at which the heap ends. */
  public static int heapEnd(MemorySegment m, long page) {
    return PAGE_BYTES
        - tailBytes(prefixLength(m, page), lowerFenceRest(m, page), upperFenceRest(m, page));
  }

  private static long lowerFenceAt(MemorySegment m, long page) {
    return page + PAGE_BYTES - tailBytes(prefixLength(m, page), lowerFenceRest(m, page), NO_FENCE);
  }

  /** Forgets the lower fence: what belongs here reaches further down now. */
  public static void dropLowerFence(MemorySegment m, long page) {
    int lower = lowerFenceRest(m, page);
    if (lower == NO_FENCE) {
      return;
    }
    int upper = upperFenceRest(m, page);
    if (upper != NO_FENCE) {
      long from = page + heapEnd(m, page);
      MemorySegment.copy(m, from, m, from + lower, upper);
    }
    putU16(m, page + PageFormat.LOWER_FENCE_LENGTH, NO_FENCE);
    setFreedBytes(m, page, freedBytes(m, page) + lower);
  }

  /** Forgets the upper fence: what belongs here reaches further up now. */
  public static void dropUpperFence(MemorySegment m, long page) {
    int upper = upperFenceRest(m, page);
    if (upper != NO_FENCE) {
      putU16(m, page + PageFormat.UPPER_FENCE_LENGTH, NO_FENCE);
      setFreedBytes(m, page, freedBytes(m, page) + upper);
    }
  }

  /**
   * Gives a page that has no upper fence one, if there is room for it. The fence shares the page's
   * prefix; the heap moves down by what it is longer.
   *
   * @return whether there was room; nothing has changed otherwise
   */
  public static boolean addUpperFence(MemorySegment m, long page, byte[] fence, int length) {
    int prefix = prefixLength(m, page);
    int rest = length - prefix;
    if (rest > gapBytes(m, page)) {
      return false;
    }
    int start = heapStart(m, page);
    int end = heapEnd(m, page);
    MemorySegment.copy(m, page + start, m, page + start - rest, end - start);
    int count = count(m, page);
    for (int i = 0; i < count; i++) {
      long at = page + HEADER_BYTES + (long) i * SLOT_BYTES;
      // The offset is the lowest part of a slot and larger than the rest: nothing is borrowed.
      m.set(LONG, at, m.get(LONG, at) - rest);
    }
    setHeapStart(m, page, start - rest);
    putU16(m, page + PageFormat.UPPER_FENCE_LENGTH, rest);
    MemorySegment.copy(fence, prefix, m, BYTE, page + end - rest, rest);
    return true;
  }

  /** Copies the prefix; returns its length. */
  public static int copyPrefix(MemorySegment m, long page, byte[] target) {
    int length = prefixLength(m, page);
    MemorySegment.copy(m, BYTE, page + PAGE_BYTES - length, target, 0, length);
    return length;
  }

  /** Copies the lower fence; returns its length, or -1 if there is none. */
  public static int copyLowerFence(MemorySegment m, long page, byte[] target) {
    int rest = lowerFenceRest(m, page);
    if (rest == NO_FENCE) {
      return -1;
    }
    int prefix = copyPrefix(m, page, target);
    MemorySegment.copy(m, BYTE, lowerFenceAt(m, page), target, prefix, rest);
    return prefix + rest;
  }

  /** Copies the upper fence; returns its length, or -1 if there is none. */
  public static int copyUpperFence(MemorySegment m, long page, byte[] target) {
    int rest = upperFenceRest(m, page);
    if (rest == NO_FENCE) {
      return -1;
    }
    int prefix = copyPrefix(m, page, target);
    MemorySegment.copy(m, BYTE, page + heapEnd(m, page), target, prefix, rest);
    return prefix + rest;
  }

  /** Slot of the newest insertion. */
  public static int lastInsert(MemorySegment m, long page) {
    return u16(m, page + PageFormat.LAST_INSERT);
  }

  /** How many insertions ran upward (positive) or downward (negative) without a break. */
  public static int runLength(MemorySegment m, long page) {
    return m.get(BYTE, page + PageFormat.RUN_LENGTH);
  }

  /** Says where the newest insertion was and how long its run is. */
  public static void setRun(MemorySegment m, long page, int lastInsert, int runLength) {
    putU16(m, page + PageFormat.LAST_INSERT, lastInsert);
    m.set(BYTE, page + PageFormat.RUN_LENGTH, (byte) runLength);
  }

  // ------------------------------------------------------------------ slots and cells

  private static long slot(MemorySegment m, long page, int index) {
    return m.get(LONG, page + HEADER_BYTES + (long) index * SLOT_BYTES);
  }

  private static void setSlot(
      MemorySegment m, long page, int index, int cell, int keyRest, int head) {
    long packed = cell | (long) keyRest << LENGTH_SHIFT | (head & 0xFFFFFFFFL) << HEAD_SHIFT;
    m.set(LONG, page + HEADER_BYTES + (long) index * SLOT_BYTES, packed);
  }

  /** Offset in the page of a cell. */
  public static int cellOffset(MemorySegment m, long page, int index) {
    return (int) slot(m, page, index) & OFFSET_MASK;
  }

  /** Length of a key behind the prefix. */
  public static int keyRest(MemorySegment m, long page, int index) {
    return (int) (slot(m, page, index) >>> LENGTH_SHIFT) & OFFSET_MASK;
  }

  /** The first bytes of a key behind the prefix, as a number. */
  public static int head(MemorySegment m, long page, int index) {
    return (int) (slot(m, page, index) >>> HEAD_SHIFT);
  }

  /** Bytes of a key that lie in its cell. */
  public static int inCell(int keyRest) {
    return Math.max(0, keyRest - HEAD_BYTES);
  }

  /** Length of a cell. */
  public static int cellBytes(MemorySegment m, long page, int index) {
    int key = inCell(keyRest(m, page, index));
    return level(m, page) == 0
        ? LEAF_CELL_BYTES + key + u16(m, page + cellOffset(m, page, index))
        : BRANCH_CELL_BYTES + key;
  }

  /** Copies a whole key, prefix included; returns its length. */
  public static int copyKey(MemorySegment m, long page, int index, byte[] target) {
    return copyKeyRest(m, page, index, target, copyPrefix(m, page, target));
  }

  /** Copies a key behind the prefix to a place in an array; returns the end of what it wrote. */
  public static int copyKeyRest(MemorySegment m, long page, int index, byte[] target, int at) {
    long slot = slot(m, page, index);
    int rest = (int) (slot >>> LENGTH_SHIFT) & OFFSET_MASK;
    int head = (int) (slot >>> HEAD_SHIFT);
    if (rest < HEAD_BYTES) {
      for (int i = 0; i < rest; i++) {
        target[at + i] = (byte) (head >>> (24 - 8 * i));
      }
      return at + rest;
    }
    KEY_INT.set(target, at, head);
    int inCell = rest - HEAD_BYTES;
    if (inCell > 0) {
      long from =
          page + (slot & OFFSET_MASK) + (level(m, page) == 0 ? LEAF_CELL_BYTES : BRANCH_CELL_BYTES);
      MemorySegment.copy(m, BYTE, from, target, at + HEAD_BYTES, inCell);
    }
    return at + rest;
  }

  /** Where a leaf's value is, in the segment, and its length, packed as (offset << 16 | length). */
  public static long value(MemorySegment m, long page, int index) {
    long slot = slot(m, page, index);
    long cell = page + (slot & OFFSET_MASK);
    int rest = (int) (slot >>> LENGTH_SHIFT) & OFFSET_MASK;
    return (cell + LEAF_CELL_BYTES + inCell(rest)) << 16 | u16(m, cell);
  }

  /** The page of a child. */
  public static int child(MemorySegment m, long page, int index) {
    return m.get(INT, page + cellOffset(m, page, index));
  }

  /** The birth of a child. */
  public static long childBirth(MemorySegment m, long page, int index) {
    return m.get(LONG, page + cellOffset(m, page, index) + BRANCH_BIRTH);
  }

  /** Points a branch cell to another page. */
  public static void setChild(MemorySegment m, long page, int index, int child, long birth) {
    long cell = page + cellOffset(m, page, index);
    m.set(INT, cell, child);
    m.set(LONG, cell + BRANCH_BIRTH, birth);
  }

  // ------------------------------------------------------------------ search

  /** The first bytes of a key from a place on, as they stand in a slot. */
  public static int headOf(byte[] key, int offset, int length) {
    if (length >= HEAD_BYTES) {
      return (int) KEY_INT.get(key, offset);
    }
    int head = 0;
    for (int i = 0; i < length; i++) {
      head |= (key[offset + i] & 0xFF) << (24 - 8 * i);
    }
    return head;
  }

  /**
   * Compares the beginning of a key with the prefix.
   *
   * @return 0 if the key begins with it; otherwise on which side of all keys with it the key lies
   */
  public static int comparePrefix(
      MemorySegment m, long page, int prefix, byte[] key, int offset, int length) {
    int compared =
        compare(m, page + PAGE_BYTES - prefix, prefix, key, offset, Math.min(prefix, length));
    // A key that ends within the prefix lies before everything that continues it.
    return -compared;
  }

  /** Compares bytes of the segment with bytes of a key: unsigned, the shorter first. */
  static int compare(MemorySegment m, long at, int length, byte[] key, int offset, int keyLength) {
    int common = Math.min(length, keyLength);
    int i = 0;
    for (; i + Long.BYTES <= common; i += Long.BYTES) {
      long a = m.get(LONG_BIG_ENDIAN, at + i);
      long b = (long) KEY_LONG.get(key, offset + i);
      if (a != b) {
        return Long.compareUnsigned(a, b);
      }
    }
    for (; i < common; i++) {
      int a = m.get(BYTE, at + i) & 0xFF;
      int b = key[offset + i] & 0xFF;
      if (a != b) {
        return a - b;
      }
    }
    return length - keyLength;
  }

  /**
   * Finds a key among the slots.
   *
   * @return its slot, or, if it is not there, -1 less the slot it would be put at
   */
  public static int search(MemorySegment m, long page, byte[] key, int offset, int length) {
    return search(m, page, count(m, page), key, offset, length);
  }

  /** The same among the first slots only. */
  public static int search(
      MemorySegment m, long page, int count, byte[] key, int offset, int length) {
    int prefix = prefixLength(m, page);
    if (prefix > 0 && (length < prefix || !isFenced(m, page))) {
      int side = comparePrefix(m, page, prefix, key, offset, length);
      if (side != 0) {
        return side < 0 ? -1 : -1 - count;
      }
    }
    int restOffset = offset + prefix;
    int rest = length - prefix;
    long head = headOf(key, restOffset, rest) & 0xFFFFFFFFL;
    long slots = page + HEADER_BYTES;
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      long slot = m.get(LONG, slots + (long) middle * SLOT_BYTES);
      long slotHead = slot >>> HEAD_SHIFT;
      if (slotHead < head) {
        low = middle + 1;
      } else if (slotHead > head) {
        high = middle;
      } else {
        int compared = compareRest(m, page, slot, key, restOffset, rest);
        if (compared < 0) {
          low = middle + 1;
        } else if (compared > 0) {
          high = middle;
        } else {
          return middle;
        }
      }
    }
    return -1 - low;
  }

  /** Compares what lies behind equal heads. */
  private static int compareRest(
      MemorySegment m, long page, long slot, byte[] key, int offset, int rest) {
    int slotRest = (int) (slot >>> LENGTH_SHIFT) & OFFSET_MASK;
    if (slotRest <= HEAD_BYTES || rest <= HEAD_BYTES) {
      return slotRest - rest;
    }
    long at =
        page + (slot & OFFSET_MASK) + (level(m, page) == 0 ? LEAF_CELL_BYTES : BRANCH_CELL_BYTES);
    return compare(m, at, slotRest - HEAD_BYTES, key, offset + HEAD_BYTES, rest - HEAD_BYTES);
  }

  /** The child that a key belongs to. */
  public static int searchChild(MemorySegment m, long page, byte[] key, int offset, int length) {
    int found = search(m, page, key, offset, length);
    return found >= 0 ? found : Math.max(0, -2 - found);
  }

  // ------------------------------------------------------------------ change in place

  /** Bytes between the slots and the heap. */
  static int gapBytes(MemorySegment m, long page) {
    return heapStart(m, page) - HEADER_BYTES - count(m, page) * SLOT_BYTES;
  }

  /** Bytes that slots, live cells, prefix and fences take. */
  public static int usedBytes(MemorySegment m, long page) {
    return CAPACITY_BYTES - gapBytes(m, page) - freedBytes(m, page);
  }

  /** Whether a cell and its slot fit without moving others. */
  public static boolean fits(MemorySegment m, long page, int cellBytes) {
    return cellBytes + SLOT_BYTES <= gapBytes(m, page);
  }

  /** Whether they fit once the heap is compacted. */
  public static boolean fitsCompacted(MemorySegment m, long page, int cellBytes) {
    return cellBytes + SLOT_BYTES <= gapBytes(m, page) + freedBytes(m, page);
  }

  /**
   * Puts a cell into the gap and a slot at a place; the caller fills the cell's front.
   *
   * @param key array that holds the key; it begins with the page's prefix
   * @return offset of the cell in the segment
   */
  private static long insertCell(
      MemorySegment m,
      long page,
      int index,
      byte[] key,
      int keyOffset,
      int keyLength,
      int frontBytes,
      int behindBytes) {
    int prefix = prefixLength(m, page);
    int rest = keyLength - prefix;
    int inCell = inCell(rest);
    int count = count(m, page);
    int cell = heapStart(m, page) - frontBytes - inCell - behindBytes;
    long slotAt = page + HEADER_BYTES + (long) index * SLOT_BYTES;
    int moved = (count - index) * SLOT_BYTES;
    if (moved > 0) {
      MemorySegment.copy(m, slotAt, m, slotAt + SLOT_BYTES, moved);
    }
    setSlot(m, page, index, cell, rest, headOf(key, keyOffset + prefix, rest));
    if (inCell > 0) {
      MemorySegment.copy(
          key, keyOffset + prefix + HEAD_BYTES, m, BYTE, page + cell + frontBytes, inCell);
    }
    setCount(m, page, count + 1);
    setHeapStart(m, page, cell);
    return page + cell;
  }

  /** Inserts an entry into a leaf that has room for it; key and value lie in one array. */
  public static void insertLeaf(
      MemorySegment m,
      long page,
      int index,
      byte[] source,
      int keyOffset,
      int keyLength,
      int valueOffset,
      int valueLength) {
    long cell =
        insertCell(m, page, index, source, keyOffset, keyLength, LEAF_CELL_BYTES, valueLength);
    m.set(SHORT, cell, (short) valueLength);
    int inCell = inCell(keyLength - prefixLength(m, page));
    MemorySegment.copy(source, valueOffset, m, BYTE, cell + LEAF_CELL_BYTES + inCell, valueLength);
    noteInsertion(m, page, index);
  }

  /** The same with a value that lies in a segment. */
  static void insertLeafFrom(
      MemorySegment m,
      long page,
      int index,
      byte[] key,
      int keyLength,
      MemorySegment values,
      long valueAt,
      int valueLength) {
    long cell = insertCell(m, page, index, key, 0, keyLength, LEAF_CELL_BYTES, valueLength);
    m.set(SHORT, cell, (short) valueLength);
    int inCell = inCell(keyLength - prefixLength(m, page));
    MemorySegment.copy(values, valueAt, m, cell + LEAF_CELL_BYTES + inCell, valueLength);
  }

  /**
   * Whether a key belongs into a leaf and behind all its entries, and its cell has room there: then
   * it can be appended without a byte changing that the entries before it have.
   */
  public static boolean canAppend(
      MemorySegment m, long page, byte[] key, int offset, int length, int valueLength) {
    int count = count(m, page);
    int prefix = prefixLength(m, page);
    int rest = length - prefix;
    if (count == 0 || rest < 0 || !fits(m, page, LEAF_CELL_BYTES + inCell(rest) + valueLength)) {
      return false;
    }
    if (prefix > 0 && comparePrefix(m, page, prefix, key, offset, length) != 0) {
      return false;
    }
    long slot = slot(m, page, count - 1);
    int compared =
        Integer.compareUnsigned((int) (slot >>> HEAD_SHIFT), headOf(key, offset + prefix, rest));
    if (compared > 0
        || compared == 0 && compareRest(m, page, slot, key, offset + prefix, rest) >= 0) {
      return false;
    }
    int upper = upperFenceRest(m, page);
    return upper == NO_FENCE
        || compare(m, page + heapEnd(m, page), upper, key, offset + prefix, rest) > 0;
  }

  /** Takes back what {@link #insertLeaf} appended last, given what the header held before. */
  public static void takeBackAppended(
      MemorySegment m, long page, int heapStart, int lastInsert, int runLength) {
    setCount(m, page, count(m, page) - 1);
    setHeapStart(m, page, heapStart);
    setRun(m, page, lastInsert, runLength);
  }

  /** Leaves only the first entries of a leaf whose others were appended to it. */
  public static void dropAppended(MemorySegment m, long page, int entries) {
    if (entries < count(m, page)) {
      setHeapStart(m, page, cellOffset(m, page, entries) + cellBytes(m, page, entries));
      setCount(m, page, entries);
    }
  }

  private static void noteInsertion(MemorySegment m, long page, int index) {
    setRun(m, page, index, nextRun(lastInsert(m, page), runLength(m, page), index));
  }

  /** The run after an insertion: one longer if it lies beside the one before, else none. */
  public static int nextRun(int last, int run, int index) {
    if (index == last + 1) {
      return Math.min(Byte.MAX_VALUE, Math.max(0, run) + 1);
    }
    return index == last ? Math.max(Byte.MIN_VALUE, Math.min(0, run) - 1) : 0;
  }

  /** Inserts a child into a branch that has room for it. */
  public static void insertBranch(
      MemorySegment m,
      long page,
      int index,
      byte[] key,
      int keyOffset,
      int keyLength,
      int child,
      long birth) {
    long cell = insertCell(m, page, index, key, keyOffset, keyLength, BRANCH_CELL_BYTES, 0);
    m.set(INT, cell, child);
    m.set(LONG, cell + BRANCH_BIRTH, birth);
    noteInsertion(m, page, index);
  }

  /** Overwrites a value with one that is no longer; what it leaves of the cell is freed. */
  public static void replaceValue(
      MemorySegment m, long page, int index, byte[] source, int valueOffset, int valueLength) {
    long value = value(m, page, index);
    int before = (int) value & OFFSET_MASK;
    if (valueLength != before) {
      putU16(m, page + cellOffset(m, page, index), valueLength);
      setFreedBytes(m, page, freedBytes(m, page) + before - valueLength);
    }
    MemorySegment.copy(source, valueOffset, m, BYTE, value >>> 16, valueLength);
  }

  /**
   * Makes the run what it was before the newest insertion, if that was at this index: the entry is
   * about to be inserted again, which must not break the run.
   */
  public static void takeBackInsertion(MemorySegment m, long page, int index) {
    int run = runLength(m, page);
    if (lastInsert(m, page) == index && run != 0) {
      setRun(m, page, run > 0 ? index - 1 : index, run > 0 ? run - 1 : run + 1);
    }
  }

  /** Takes out the slots of a range; their cells' bytes are freed. */
  public static void remove(MemorySegment m, long page, int from, int to) {
    int freed = freedBytes(m, page);
    for (int i = from; i < to; i++) {
      freed += cellBytes(m, page, i);
    }
    int count = count(m, page);
    long at = page + HEADER_BYTES;
    int moved = (count - to) * SLOT_BYTES;
    if (moved > 0) {
      MemorySegment.copy(m, at + (long) to * SLOT_BYTES, m, at + (long) from * SLOT_BYTES, moved);
    }
    setCount(m, page, count - (to - from));
    setFreedBytes(m, page, freed);
    int last = lastInsert(m, page);
    if (last >= to) {
      // A run goes on where it was, as when a queue loses its first entries.
      setRun(m, page, last - (to - from), runLength(m, page));
    } else if (last >= from) {
      setRun(m, page, 0, 0);
    }
  }

  /** Makes the first key of a branch the empty one that stands for minus infinity. */
  public static void clearFirstKey(MemorySegment m, long page) {
    int inCell = inCell(keyRest(m, page, 0));
    setSlot(m, page, 0, cellOffset(m, page, 0), 0, 0);
    setFreedBytes(m, page, freedBytes(m, page) + inCell);
  }

  /**
   * Appends cells of a page with the same prefix as they are: nothing but their offsets changes.
   * The page has room for them.
   */
  static void appendCells(
      MemorySegment m, long page, MemorySegment source, long sourcePage, int from, int to) {
    int front = level(source, sourcePage) == 0 ? LEAF_CELL_BYTES : BRANCH_CELL_BYTES;
    boolean hasValue = front == LEAF_CELL_BYTES;
    int count = count(m, page);
    int heap = heapStart(m, page);
    long slotAt = page + HEADER_BYTES + (long) count * SLOT_BYTES;
    for (int i = from; i < to; i++) {
      long slot = slot(source, sourcePage, i);
      long cell = sourcePage + (slot & OFFSET_MASK);
      int rest = (int) (slot >>> LENGTH_SHIFT) & OFFSET_MASK;
      int bytes = front + inCell(rest) + (hasValue ? u16(source, cell) : 0);
      heap -= bytes;
      MemorySegment.copy(source, cell, m, page + heap, bytes);
      m.set(LONG, slotAt, slot & ~(long) OFFSET_MASK | heap);
      slotAt += SLOT_BYTES;
    }
    setCount(m, page, count + to - from);
    setHeapStart(m, page, heap);
  }

  /**
   * Copies a page, but not what lies between its slots and its heap where that is large: there the
   * target keeps whatever it held.
   */
  public static void copyPage(MemorySegment from, long page, MemorySegment to, long target) {
    int slotsEnd = HEADER_BYTES + count(from, page) * SLOT_BYTES;
    int heap = heapStart(from, page) & -Long.BYTES;
    if (heap - slotsEnd < COPIED_GAP_BYTES_MAX || heap > PAGE_BYTES) {
      MemorySegment.copy(from, page, to, target, PAGE_BYTES);
    } else {
      MemorySegment.copy(from, page, to, target, slotsEnd);
      MemorySegment.copy(from, page + heap, to, target + heap, PAGE_BYTES - heap);
    }
  }

  /** Lays out an empty page; its checksum and birth are left alone. */
  static void initialize(
      MemorySegment m, long page, int level, int prefix, int lowerRest, int upperRest) {
    m.set(
        BYTE,
        page + PageFormat.TYPE,
        (byte) (level == 0 ? PageFormat.TYPE_LEAF : PageFormat.TYPE_BRANCH));
    m.set(BYTE, page + PageFormat.LEVEL, (byte) level);
    setCount(m, page, 0);
    setFreedBytes(m, page, 0);
    putU16(m, page + PageFormat.PREFIX_LENGTH, prefix);
    putU16(m, page + PageFormat.LOWER_FENCE_LENGTH, lowerRest);
    putU16(m, page + PageFormat.UPPER_FENCE_LENGTH, upperRest);
    setRun(m, page, 0, 0);
    m.asSlice(page + PageFormat.RUN_LENGTH + 1, 3).fill((byte) 0);
    setHeapStart(m, page, PAGE_BYTES - tailBytes(prefix, lowerRest, upperRest));
  }

  static void writePrefix(MemorySegment m, long page, byte[] key, int length) {
    MemorySegment.copy(key, 0, m, BYTE, page + PAGE_BYTES - length, length);
  }

  static void writeFences(
      MemorySegment m, long page, byte[] lower, int lowerLength, byte[] upper, int upperLength) {
    int prefix = prefixLength(m, page);
    if (lowerLength >= 0) {
      MemorySegment.copy(lower, prefix, m, BYTE, lowerFenceAt(m, page), lowerLength - prefix);
    }
    if (upperLength >= 0) {
      MemorySegment.copy(upper, prefix, m, BYTE, page + heapEnd(m, page), upperLength - prefix);
    }
  }
}
