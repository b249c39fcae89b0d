package dev.kvdb.log;

import dev.kvdb.nativecalls.NativeCalls;
import dev.kvdb.nativecalls.NativeCalls.FlushLevel;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Makes records survive, and knows which do. Every flush of a slot with records goes through its
 * one mutex, and the failure is set inside it: the system reports a lost write only once.
 */
final class SlotFlusher {
  private final NativeCalls calls;
  private final SlotRing ring;
  private final FailureState failure;
  private final long slotBytes;
  private final ReentrantLock syncing = new ReentrantLock();

  /** Guarded by syncing: by level, the LSN up to which all was flushed at it or a stronger one. */
  private final long[] syncedLsn = new long[FlushLevel.values().length];

  private final Object raising = new Object();

  /** Written under raising. */
  private volatile long durableLsn;

  SlotFlusher(
      NativeCalls calls, SlotRing ring, FailureState failure, long slotBytes, long durableLsn) {
    this.calls = calls;
    this.ring = ring;
    this.failure = failure;
    this.slotBytes = slotBytes;
    this.durableLsn = durableLsn;
  }

  /** The LSN up to which everything survives a power cut. */
  long durableLsn() {
    return durableLsn;
  }

  /** Everything up to an LSN survives a power cut. */
  void raiseDurable(long lsn) {
    synchronized (raising) {
      durableLsn = Math.max(durableLsn, lsn);
    }
  }

  /**
   * Makes everything up to an LSN, and whatever has been appended behind it by now, survive what a
   * level names.
   *
   * @param lastLsn tells the LSN of the last record that was written
   * @return the LSN up to which that is now so
   * @throws LogFailedException if a flush failed, now or ever
   */
  long sync(long lsn, FlushLevel level, LongSupplier lastLsn) {
    syncing.lock();
    try {
      failure.requireSyncs();
      long synced = Math.max(syncedLsn[level.ordinal()], durableLsn);
      if (synced >= lsn) {
        return synced;
      }
      // Before the slots are listed: whatever is counted lies in one of them.
      long target = lastLsn.getAsLong();
      if (flushWritten(level)) {
        raiseDurable(target);
      }
      for (int i = 0; i <= level.ordinal(); i++) {
        syncedLsn[i] = Math.max(syncedLsn[i], target);
      }
      return target;
    } finally {
      syncing.unlock();
    }
  }

  /**
   * Flushes every slot with records that were not flushed at this level, oldest first.
   *
   * @return whether all that was not known to be durable before survives a power cut now
   */
  private boolean flushWritten(FlushLevel level) {
    List<SlotFile> slots = ring.written();
    boolean survives = true;
    for (int i = 0; i < slots.size(); i++) {
      SlotFile file = slots.get(i);
      boolean isCurrent = i == slots.size() - 1;
      if (isCurrent || file.lastLsn > syncedLsn[level.ordinal()]) {
        survives &= flush(file, level);
      } else {
        survives &= file.lastLsn <= durableLsn;
      }
    }
    return survives;
  }

  private boolean flush(SlotFile file, FlushLevel level) {
    try {
      if (file.mapping != null) {
        file.mapping.sync(0, slotBytes);
      }
      return calls.flush(file.descriptor, level);
    } catch (Throwable t) {
      throw failure.failSyncs("cannot flush the log slot " + file.path, t);
    }
  }

  /** Flushes one slot with the strongest flush; what it holds counts no more than before. */
  void flush(SlotFile file) {
    syncing.lock();
    try {
      failure.requireSyncs();
      flush(file, FlushLevel.FULL);
    } finally {
      syncing.unlock();
    }
  }

  /** Does something to slots with records, which no flush must meet half done. */
  void whileNothingIsFlushed(Runnable action) {
    syncing.lock();
    try {
      action.run();
    } finally {
      syncing.unlock();
    }
  }
}
