package dev.kvdb.page;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Sizes and offsets of every page in the page file: the one place that knows them, shared by what
 * writes, reads and checks. All numbers are little-endian and unsigned unless said otherwise.
 *
 * <p>Every page but a meta page begins with this header:
 *
 * <pre>
 *  0        4      5      6        8          10        12       14      16      18     20    21    24
 * +--------+------+------+--------+----------+---------+--------+-------+-------+------+-----+-----+-------+
 * | crc32c | type | level| count  | heapStart| freed   | prefix | lower | upper | last | run |  0  | birth |
 * +--------+------+------+--------+----------+---------+--------+-------+-------+------+-----+-----+-------+
 * </pre>
 */
public final class PageFormat {
  /** The size of a page in bytes. */
  public static final int PAGE_BYTES = 4096;

  /** CRC32C over the page's number (u32) and bytes 4 to the end of the page. */
  public static final int CHECKSUM = 0;

  /** u8, one of the TYPE constants. */
  public static final int TYPE = 4;

  /** u8, the height above the leaves: 0 for a leaf. */
  public static final int LEVEL = 5;

  /** u16, cells in a tree page. */
  public static final int CELL_COUNT = 6;

  /** u16, offset in the page of the lowest byte of the heap of cells. */
  public static final int HEAP_START = 8;

  /** u16, bytes of the heap that no cell uses any more. */
  public static final int FREED_BYTES = 10;

  /** u16, length of the prefix that every key of the page shares. */
  public static final int PREFIX_LENGTH = 12;

  /** u16, length of the lower fence behind the prefix; {@link #NO_FENCE} if the page has none. */
  public static final int LOWER_FENCE_LENGTH = 14;

  /** u16, length of the upper fence behind the prefix; {@link #NO_FENCE} if the page has none. */
  public static final int UPPER_FENCE_LENGTH = 16;

  /** u16, the slot of the newest insertion. */
  public static final int LAST_INSERT = 18;

  /** s8, how many insertions ran upward (positive) or downward (negative) without a break. */
  public static final int RUN_LENGTH = 20;

  /** u64, the commit number that made the page. */
  public static final int BIRTH = 24;

  /** The length of the header; the slots begin here. */
  public static final int HEADER_BYTES = 32;

  /** In a fence length field: there is no fence on that side. */
  public static final int NO_FENCE = 0xFFFF;

  /** Never valid, so that a page of zeros is no page. */
  public static final int TYPE_NONE = 0;

  public static final int TYPE_LEAF = 1;
  public static final int TYPE_BRANCH = 2;
  public static final int TYPE_CATALOG = 3;
  public static final int TYPE_SPACE_MAP = 4;

  /** The longest key in bytes. */
  public static final int KEY_BYTES_MAX = 1000;

  /** The longest value that is kept in a leaf, in bytes. */
  public static final int VALUE_BYTES_MAX = 1024;

  /** More levels than any tree can have; a deeper descent means a damaged file. */
  public static final int HEIGHT_MAX = 32;

  public static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  public static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  public static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  public static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private PageFormat() {}
}
