package dev.kvdb.pager;

/**
 * A queue of pages, each with the numbers at which it was born and died and the epoch at which it
 * was unlinked. Grows as needed, allocates nothing otherwise.
 */
final class PageList {
  private int[] page = new int[64];
  private long[] birth = new long[64];
  private long[] death = new long[64];
  private long[] stamp = new long[64];
  private int head;
  private int size;

  int size() {
    return size;
  }

  boolean isEmpty() {
    return size == 0;
  }

  void clear() {
    head = 0;
    size = 0;
  }

  void add(int newPage, long newBirth, long newDeath, long newStamp) {
    if (size == page.length) {
      grow();
    }
    int at = (head + size) & (page.length - 1);
    page[at] = newPage;
    birth[at] = newBirth;
    death[at] = newDeath;
    stamp[at] = newStamp;
    size++;
  }

  /** Makes room, so that the next so many additions cannot fail. */
  void ensureRoom(int additions) {
    while (page.length - size < additions) {
      grow();
    }
  }

  private void grow() {
    int capacity = Math.multiplyExact(page.length, 2);
    // All or none: short of memory, the four must not come apart.
    int[] pages = unroll(page, new int[capacity]);
    long[] births = unroll(birth, new long[capacity]);
    long[] deaths = unroll(death, new long[capacity]);
    long[] stamps = unroll(stamp, new long[capacity]);
    page = pages;
    birth = births;
    death = deaths;
    stamp = stamps;
    head = 0;
  }

  private int[] unroll(int[] from, int[] to) {
    System.arraycopy(from, head, to, 0, from.length - head);
    System.arraycopy(from, 0, to, from.length - head, head);
    return to;
  }

  private long[] unroll(long[] from, long[] to) {
    System.arraycopy(from, head, to, 0, from.length - head);
    System.arraycopy(from, 0, to, from.length - head, head);
    return to;
  }

  private int at(int index) {
    return (head + index) & (page.length - 1);
  }

  int page(int index) {
    return page[at(index)];
  }

  long birth(int index) {
    return birth[at(index)];
  }

  long death(int index) {
    return death[at(index)];
  }

  long stamp(int index) {
    return stamp[at(index)];
  }

  void removeFirst() {
    head = (head + 1) & (page.length - 1);
    size--;
  }

  /** Gives memory back after a peak. */
  void trim() {
    if (size == 0 && page.length > 1 << 16) {
      long[] births = new long[64];
      long[] deaths = new long[64];
      long[] stamps = new long[64];
      page = new int[64];
      birth = births;
      death = deaths;
      stamp = stamps;
      head = 0;
    }
  }
}
