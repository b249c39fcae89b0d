package dev.kvdb.pager;

/**
 * A stretch of {@link FileFormat#REGION_PAGES} pages with its maps in memory. Guarded by the commit
 * lock.
 *
 * <p>Two maps: <i>used</i> says which pages may not be handed out, <i>reached</i> which pages the
 * applied roots reach. The second is what a checkpoint writes; they differ by the pages that only a
 * snapshot, an older checkpoint, a reader or the commit under way holds.
 */
final class Region {
  static final long NO_STAMP = -1;

  final int index;

  /** Null until the map has been read. */
  long[] used;

  long[] reached;

  int usedCount;
  int reachedCount;

  /** The number of the checkpoint whose map of this region is the durable one. */
  long stamp = NO_STAMP;

  /** Which of the two map pages holds it. */
  int mapSlot = 1;

  /** The newest number at which a page here was born or died. */
  long changedAt;

  /** What {@link #reached} was when the checkpoint of this number began, if it changed since. */
  long[] frozen;

  int frozenCount;
  long frozenFor = NO_STAMP;

  Region(int index) {
    this.index = index;
  }

  int firstPage() {
    return index * FileFormat.REGION_PAGES;
  }

  boolean isLoaded() {
    return used != null;
  }

  static boolean get(long[] bits, int inRegion) {
    return (bits[inRegion >>> 6] & 1L << inRegion) != 0;
  }

  static void set(long[] bits, int inRegion) {
    bits[inRegion >>> 6] |= 1L << inRegion;
  }

  static void clear(long[] bits, int inRegion) {
    bits[inRegion >>> 6] &= ~(1L << inRegion);
  }

  /** Makes the maps of a region in which only the fixed pages are taken. */
  void initialize() {
    used = new long[FileFormat.MAP_WORDS];
    reached = new long[FileFormat.MAP_WORDS];
    int fixed = 0;
    for (int page = 0; page <= FileFormat.META_PAGES[1]; page++) {
      if (FileFormat.isFixed(firstPage() + page)) {
        set(used, page);
        set(reached, page);
        fixed++;
      }
    }
    usedCount = fixed;
    reachedCount = fixed;
  }

  /** How many pages here are always taken. */
  int fixedCount() {
    return index == 0
        ? FileFormat.MAP_PAGES.length + FileFormat.META_PAGES.length
        : FileFormat.MAP_PAGES.length;
  }

  /** The first page from a place on that is not used, below a limit; -1 if there is none. */
  int firstFree(int fromInRegion, int limitInRegion) {
    int word = fromInRegion >>> 6;
    long candidates = ~used[word] & -1L << fromInRegion;
    while (true) {
      if (candidates != 0) {
        int found = (word << 6) + Long.numberOfTrailingZeros(candidates);
        return found < limitInRegion ? found : -1;
      }
      if (++word >= used.length || word << 6 >= limitInRegion) {
        return -1;
      }
      candidates = ~used[word];
    }
  }

  /** The last marked page of a map, -1 if none is. */
  static int lastMarked(long[] bits) {
    for (int word = bits.length - 1; word >= 0; word--) {
      if (bits[word] != 0) {
        return (word << 6) + 63 - Long.numberOfLeadingZeros(bits[word]);
      }
    }
    return -1;
  }
}
