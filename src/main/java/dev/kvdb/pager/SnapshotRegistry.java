package dev.kvdb.pager;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The numbers that open snapshots read at. Many threads.
 *
 * <p>A snapshot registers while its thread holds a reader slot (I-9), so a writer that scans the
 * slots first and this registry second cannot miss it.
 */
public final class SnapshotRegistry {
  private final ReentrantLock lock = new ReentrantLock();
  private final TreeMap<Long, int[]> holders = new TreeMap<>();
  private volatile long version;
  private int open;

  /** Holds the state at a number. */
  public void register(long number) {
    lock.lock();
    try {
      int[] references = holders.get(number);
      if (references == null) {
        holders.put(number, new int[] {1});
        version++;
      } else {
        references[0]++;
      }
      open++;
    } finally {
      lock.unlock();
    }
  }

  /** Lets go of what one {@link #register} held. */
  public void release(long number) {
    lock.lock();
    try {
      int[] references = holders.get(number);
      if (references == null) {
        throw new IllegalStateException("no snapshot is registered at " + number);
      }
      if (--references[0] == 0) {
        holders.remove(number);
        version++;
      }
      open--;
    } finally {
      lock.unlock();
    }
  }

  /** Changes whenever the set of held numbers does. */
  long version() {
    return version;
  }

  /** The held numbers in ascending order. */
  long[] numbers() {
    lock.lock();
    try {
      long[] numbers = new long[holders.size()];
      int i = 0;
      for (Map.Entry<Long, int[]> entry : holders.entrySet()) {
        numbers[i++] = entry.getKey();
      }
      return numbers;
    } finally {
      lock.unlock();
    }
  }

  /** How many snapshots are open. */
  public int openCount() {
    lock.lock();
    try {
      return open;
    } finally {
      lock.unlock();
    }
  }

  /** The smallest number held, {@link Long#MAX_VALUE} if none is. */
  public long oldest() {
    lock.lock();
    try {
      return holders.isEmpty() ? Long.MAX_VALUE : holders.firstKey();
    } finally {
      lock.unlock();
    }
  }
}
