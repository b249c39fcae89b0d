package dev.kvdb.pager;

/**
 * Who still reaches dead pages: the durable checkpoint, one that has begun, and snapshots; with
 * each, the pages kept for it. Guarded by the commit lock.
 *
 * <p>A dead page is filed with the newest number that holds it. When that number is let go, the
 * page is looked at again. As a page can only lose holders, it moves at most once for each.
 */
final class Holders {
  private final SpacePolicy policy;
  private long[] numbers = new long[0];
  private PageList[] kept = new PageList[0];
  private int pages;

  Holders(SpacePolicy policy) {
    this.policy = policy;
  }

  /** Whether any holder can reach a page born at a number: a quick test that never misses one. */
  boolean mayHold(long birth) {
    return numbers.length > 0 && birth <= numbers[numbers.length - 1];
  }

  /** The place of the newest holder of a page, -1 if nobody holds it. */
  int find(long birth, long death) {
    int low = 0;
    int high = numbers.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (numbers[middle] < death) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    // The newest number before the death; if it is older than the page, so are all before it.
    int newest = low - 1;
    if (newest >= 0 && policy.holds(numbers[newest], birth, death)) {
      return newest;
    }
    return -1;
  }

  void keep(int holder, int page, long birth, long death) {
    kept[holder].add(page, birth, death, 0);
    pages++;
  }

  /** Whether a root or a page from one number to another is held. */
  boolean isHeld(long birth, long death) {
    return find(birth, death) >= 0;
  }

  /** How many dead pages are kept for a number. */
  int keptFor(long number) {
    for (int i = 0; i < numbers.length; i++) {
      if (numbers[i] == number) {
        return kept[i].size();
      }
    }
    return 0;
  }

  int pages() {
    return pages;
  }

  /**
   * Changes the set of holders.
   *
   * @param now the numbers that hold from now on, ascending
   * @param released receives the pages that were kept for the others
   * @param stamp the epoch to stamp them with
   */
  void update(long[] now, PageList released, long stamp) {
    PageList[] lists = new PageList[now.length];
    PageList[] leaving = new PageList[numbers.length];
    int leavingPages = 0;
    int next = 0;
    for (int i = 0; i < numbers.length; i++) {
      while (next < now.length && now[next] < numbers[i]) {
        next++;
      }
      if (next < now.length && now[next] == numbers[i]) {
        lists[next] = kept[i];
      } else {
        leaving[i] = kept[i];
        leavingPages += kept[i].size();
      }
    }
    for (int i = 0; i < lists.length; i++) {
      if (lists[i] == null) {
        lists[i] = new PageList();
      }
    }
    // The last that may fail: a page released twice would be handed out twice.
    released.ensureRoom(leavingPages);
    for (PageList list : leaving) {
      if (list != null) {
        release(list, released, stamp);
      }
    }
    numbers = now;
    kept = lists;
  }

  private void release(PageList list, PageList released, long stamp) {
    for (int i = 0; i < list.size(); i++) {
      released.add(list.page(i), list.birth(i), list.death(i), stamp);
    }
    pages -= list.size();
  }
}
