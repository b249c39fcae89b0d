package dev.kvdb.engine;

import dev.kvdb.page.Faults;
import dev.kvdb.page.PageFormat;
import dev.kvdb.pager.Pager;
import dev.kvdb.tree.TreeReader;
import java.lang.foreign.MemorySegment;

/**
 * Point lookups at a commit number. Called between {@link Pager#enter} and {@link Pager#exit}.
 *
 * <p>Each ends with a poll before what was read is used: a page that cannot be read is then an
 * error here and not a wrong answer (I-20).
 */
final class Reads {
  static final int ABSENT = -1;

  private static final int LENGTH_BITS = 16;
  private static final int LENGTH_MASK = (1 << LENGTH_BITS) - 1;

  private Reads() {}

  /** The place of a value in memory and its length, packed; -1 if the key is absent. */
  private static long find(Pager pager, RootEntry root, byte[] key) {
    if (root == null || root.page == 0) {
      return ABSENT;
    }
    return TreeReader.find(
        pager,
        root.page,
        root.birth,
        root.height,
        root.openLeaf,
        root.openEntries,
        key,
        0,
        key.length);
  }

  static long offsetOf(long found) {
    return found >>> LENGTH_BITS;
  }

  static int lengthOf(long found) {
    return (int) found & LENGTH_MASK;
  }

  /** A copy of a value, null if the key is absent. */
  static byte[] get(Pager pager, RootEntry root, byte[] key) {
    long found = find(pager, root, key);
    byte[] value = null;
    if (found >= 0) {
      value = new byte[lengthOf(found)];
      MemorySegment.copy(pager.memory(), PageFormat.BYTE, offsetOf(found), value, 0, value.length);
    }
    Faults.poll();
    return value;
  }

  /** Copies as much of a value as there is room for; its length, or -1 if the key is absent. */
  static int get(Pager pager, RootEntry root, byte[] key, MemorySegment target) {
    long found = find(pager, root, key);
    int length = ABSENT;
    if (found >= 0) {
      length = lengthOf(found);
      MemorySegment.copy(
          pager.memory(), offsetOf(found), target, 0, Math.min(length, target.byteSize()));
    }
    Faults.poll();
    return length;
  }

  static boolean contains(Pager pager, RootEntry root, byte[] key) {
    boolean found = find(pager, root, key) >= 0;
    Faults.poll();
    return found;
  }

  /** As {@link #find}, with the poll. */
  static long locate(Pager pager, RootEntry root, byte[] key) {
    long found = find(pager, root, key);
    Faults.poll();
    return found;
  }
}
