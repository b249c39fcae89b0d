package dev.kvdb.pager;

import java.util.Arrays;

/**
 * What the pool knows of each of its frames. Guarded by the commit lock.
 *
 * <p>A frame is free, or holds a page that is clean (the file has the same bytes), dirty, or dead
 * (nothing can reach it any more), or it was unlinked and waits for the readers that may still be
 * reading it.
 */
final class Frames {
  static final byte FREE = 0;
  static final byte CLEAN = 1;
  static final byte DIRTY = 2;
  static final byte DEAD = 3;
  static final byte WAITING = 4;

  final int count;
  final int[] page;
  final long[] birth;

  /** The number at which the page died, {@link Long#MAX_VALUE} while it lives. */
  final long[] death;

  final byte[] state;

  /** The second-chance bit: set by the writer's touches, cleared by the hand. */
  final boolean[] referenced;

  /** The operation whose pages may not be evicted; compared with the pager's present one. */
  final long[] pinnedBy;

  /** Set while the checkpoint copies the frame. */
  final boolean[] checkpointPin;

  private final int[] free;
  private int freeCount;

  private final int[] waiting;
  private final long[] waitingStamp;
  private int waitingHead;
  private int waitingCount;

  /** Frames that were never taken: from this one on. */
  int unused;

  int dirtyCount;
  int hand;

  Frames(int count) {
    this.count = count;
    page = new int[count];
    birth = new long[count];
    death = new long[count];
    state = new byte[count];
    referenced = new boolean[count];
    pinnedBy = new long[count];
    checkpointPin = new boolean[count];
    free = new int[count];
    waiting = new int[count];
    waitingStamp = new long[count];
    Arrays.fill(death, Long.MAX_VALUE);
    Arrays.fill(pinnedBy, -1);
    for (int i = 0; i < count; i++) {
      free[i] = count - 1 - i;
    }
    freeCount = count;
  }

  /** A free frame, or -1. */
  int take() {
    if (freeCount == 0) {
      return -1;
    }
    int frame = free[--freeCount];
    if (frame >= unused) {
      unused = frame + 1;
    }
    return frame;
  }

  void assign(int frame, int newPage, long newBirth, long operation) {
    page[frame] = newPage;
    birth[frame] = newBirth;
    death[frame] = Long.MAX_VALUE;
    setState(frame, DIRTY);
    referenced[frame] = true;
    pinnedBy[frame] = operation;
  }

  void setState(int frame, byte next) {
    if (state[frame] == DIRTY) {
      dirtyCount--;
    }
    if (next == DIRTY) {
      dirtyCount++;
    }
    state[frame] = next;
  }

  /** Puts a frame back that no reader can be reading. */
  void release(int frame) {
    setState(frame, FREE);
    page[frame] = 0;
    death[frame] = Long.MAX_VALUE;
    pinnedBy[frame] = -1;
    free[freeCount++] = frame;
  }

  /** Queues a frame that the page table names no more, until the readers of this epoch are gone. */
  void unlink(int frame, long stamp) {
    setState(frame, WAITING);
    int tail = (waitingHead + waitingCount) % count;
    waiting[tail] = frame;
    waitingStamp[tail] = stamp;
    waitingCount++;
  }

  /** Frees the unlinked frames stamped below an epoch. */
  void releaseWaiting(long oldestEpoch) {
    while (waitingCount > 0 && waitingStamp[waitingHead] < oldestEpoch) {
      release(waiting[waitingHead]);
      waitingHead = (waitingHead + 1) % count;
      waitingCount--;
    }
  }

  boolean hasWaiting() {
    return waitingCount > 0;
  }

  int freeCount() {
    return freeCount;
  }
}
