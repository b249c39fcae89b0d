package dev.kvdb.pager;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Tells the writer which readers are at work, without making them wait.
 *
 * <p>A reader claims a slot and stores the reclamation epoch in it before it looks at the published
 * number. Whatever is unlinked (a page by a publication, a frame by an eviction) is stamped with
 * the epoch of that moment, and then the epoch is raised. It may be reused once every claimed slot
 * holds a larger epoch than the stamp: a reader that holds a larger one, or claims its slot after
 * the scan, can only have seen the state without the unlinked thing (I-8).
 *
 * <p>There are no thread-locals: a slot is found by hashing the thread's number and probing. When
 * all are taken, another bank of slots is added.
 */
public final class ReaderSlots {
  private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(long[].class);
  private static final VarHandle EPOCH;

  static {
    try {
      EPOCH = MethodHandles.lookup().findVarHandle(ReaderSlots.class, "epoch", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Slots a bank; a power of two. */
  private static final int BANK_SLOTS = 64;

  /** Longs from one slot to the next, so that no two share a pair of cache lines. */
  private static final int STRIDE = 16;

  private static final int INDEX_BITS = 16;
  private static final int INDEX_MASK = (1 << INDEX_BITS) - 1;
  private static final long EMPTY = 0L;

  /** In a bank, before the first slot: a bit for each slot that was ever claimed. */
  private static final int USED = 0;

  private volatile long[][] banks = {newBank()};
  private volatile long epoch = 1;

  private static long[] newBank() {
    return new long[(BANK_SLOTS + 1) * STRIDE];
  }

  /**
   * Claims a slot for the calling thread.
   *
   * @return the token for {@link #exit}
   */
  public int enter() {
    long[][] current = banks;
    for (int bank = 0; bank < current.length; bank++) {
      int index = claim(current[bank]);
      if (index >= 0) {
        return bank << INDEX_BITS | index;
      }
    }
    return enterNewBank();
  }

  private int claim(long[] bank) {
    long thread = Thread.currentThread().threadId();
    int start = (int) ((thread * 0x9E3779B97F4A7C15L) >>> 58);
    for (int probe = 0; probe < BANK_SLOTS; probe++) {
      int slot = (start + probe) & (BANK_SLOTS - 1);
      int index = indexOf(slot);
      if (((long) SLOT.getOpaque(bank, USED) & 1L << slot) == 0) {
        // Before the claim: a scan that must see the claim sees that the slot is in use.
        SLOT.getAndBitwiseOr(bank, USED, 1L << slot);
      }
      if ((long) SLOT.getOpaque(bank, index) == EMPTY
          && SLOT.compareAndSet(bank, index, EMPTY, epoch)) {
        // The claim must be seen by every scan that could miss what is read from here on.
        VarHandle.fullFence();
        return index;
      }
    }
    return -1;
  }

  private static int indexOf(int slot) {
    return (slot + 1) * STRIDE;
  }

  private synchronized int enterNewBank() {
    long[][] current = banks;
    long[][] more = java.util.Arrays.copyOf(current, current.length + 1);
    more[current.length] = newBank();
    int index = indexOf(0);
    more[current.length][USED] = 1L;
    more[current.length][index] = epoch;
    // A scan that runs after this store sees the bank; one that ran before it published first.
    banks = more;
    VarHandle.fullFence();
    return current.length << INDEX_BITS | index;
  }

  /** Gives a slot back; everything read in it happens before. */
  public void exit(int token) {
    SLOT.setRelease(banks[token >>> INDEX_BITS], token & INDEX_MASK, EMPTY);
  }

  /** The present epoch: the stamp for what is unlinked now. */
  public long epoch() {
    return epoch;
  }

  /**
   * Raises the epoch, then looks at the claimed slots. Called by the holder of the commit lock
   * only, after what was stamped has been unlinked.
   *
   * @return the smallest epoch that a claimed slot holds, {@link Long#MAX_VALUE} if none is
   *     claimed: what was stamped below it may be reused
   */
  public long raiseEpochAndScan() {
    EPOCH.setRelease(this, epoch + 1);
    VarHandle.fullFence();
    long oldest = Long.MAX_VALUE;
    for (long[] bank : banks) {
      for (long used = (long) SLOT.getAcquire(bank, USED); used != 0; used &= used - 1) {
        int index = indexOf(Long.numberOfTrailingZeros(used));
        long held = (long) SLOT.getAcquire(bank, index);
        if (held != EMPTY && held < oldest) {
          oldest = held;
        }
      }
    }
    return oldest;
  }
}
