package dev.kvdb.page;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A page laid out by hand, somewhere in the middle of a segment, and the keys it has to hold. */
final class LeafPage {
  /** Not at the start, so that a forgotten page offset shows. */
  static final long AT = 3L * PageFormat.PAGE_BYTES;

  final MemorySegment m = Arena.ofAuto().allocate(5L * PageFormat.PAGE_BYTES, 8);
  final List<byte[]> keys = new ArrayList<>();

  /** An empty page between two fences, null for none, with a prefix of the length they allow. */
  LeafPage(byte[] lower, byte[] upper, int ownPrefix, byte[] prefixSource) {
    m.fill((byte) 0xDE);
    boolean fenced = lower != null && upper != null;
    int prefix = fenced ? common(lower, upper) : ownPrefix;
    TreePage.initialize(
        m,
        AT,
        0,
        prefix,
        lower == null ? PageFormat.NO_FENCE : lower.length - prefix,
        upper == null ? PageFormat.NO_FENCE : upper.length - prefix);
    TreePage.writePrefix(m, AT, fenced ? lower : prefixSource, prefix);
    TreePage.writeFences(
        m, AT, lower, lower == null ? -1 : lower.length, upper, upper == null ? -1 : upper.length);
  }

  static int common(byte[] a, byte[] b) {
    int mismatch = Arrays.mismatch(a, b);
    return mismatch < 0 ? a.length : mismatch;
  }

  /** Inserts a key that is new; false if the page has no room for it. */
  boolean insert(byte[] key, int valueLength) {
    int place = naiveSearch(keys, key);
    int prefix = TreePage.prefixLength(m, AT);
    int bytes = TreePage.LEAF_CELL_BYTES + TreePage.inCell(key.length - prefix) + valueLength;
    if (place >= 0 || !TreePage.fits(m, AT, bytes)) {
      return false;
    }
    byte[] source = Arrays.copyOf(key, key.length + valueLength);
    TreePage.insertLeaf(m, AT, -1 - place, source, 0, key.length, key.length, valueLength);
    keys.add(-1 - place, key);
    return true;
  }

  void remove(int from, int to) {
    TreePage.remove(m, AT, from, to);
    keys.subList(from, to).clear();
  }

  List<String> problems() {
    List<String> problems = new ArrayList<>();
    new PageChecker().check(m, AT, 0, problems::add);
    return problems;
  }

  byte[] keyAt(int index) {
    byte[] buffer = new byte[2 * PageFormat.KEY_BYTES_MAX];
    return Arrays.copyOf(buffer, TreePage.copyKey(m, AT, index, buffer));
  }

  /** What {@link TreePage#search} has to answer, one key after the other. */
  static int naiveSearch(List<byte[]> sorted, byte[] key) {
    int place = 0;
    for (byte[] other : sorted) {
      int compared = Arrays.compareUnsigned(other, key);
      if (compared == 0) {
        return place;
      }
      if (compared > 0) {
        break;
      }
      place++;
    }
    return -1 - place;
  }
}
