package dev.kvdb.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Publishes commits in their order, each once it is durable at its level, and lets many commits
 * share a sync.
 *
 * <p>A commit that needs no sync, with none before it waiting for one, is published at once under
 * the commit lock. Any other enters a queue and waits outside the lock: the first to come leads,
 * syncs the log for all and wakes them; who comes meanwhile waits for the next sync. Woken threads
 * wake others in turn, so that no one thread pays for all. A virtual thread never leads: a platform
 * thread of the database syncs for it, because a sync would occupy its carrier. The wait cannot be
 * interrupted; an interrupt is kept for the caller.
 */
final class GroupCommit {
  private static final class Waiter {
    final Thread thread = Thread.currentThread();
    final long number;
    volatile boolean woken;
    Waiter left;
    Waiter right;

    Waiter(long number) {
      this.number = number;
    }
  }

  private final Store store;

  // Guarded by the commit lock: commits applied and not published yet, oldest first.
  private long[] queuedNumber = new long[64];
  private long[] queuedLsn = new long[64];
  private int head;
  private int queued;
  private long requiredLsn;
  private CommitLevel strongest = CommitLevel.NONE;
  private long syncedLsn;
  private long syncs;

  private final ReentrantLock groupLock = new ReentrantLock();

  // Guarded by the group lock.
  private boolean leading;
  private List<Waiter> waiters = new ArrayList<>();
  private Thread syncThread;
  private boolean syncRequested;
  private boolean stopped;

  GroupCommit(Store store) {
    this.store = store;
  }

  /**
   * A commit has become the applied state. Under the commit lock.
   *
   * @param lsn of its record
   * @return whether it is published already
   */
  boolean applied(long number, long lsn, CommitLevel level) {
    if (level != CommitLevel.NONE) {
      requiredLsn = lsn;
      strongest = strongest.strongest(level);
    }
    if (queued == 0 && requiredLsn <= syncedLsn) {
      publish(number);
      return true;
    }
    if (queued == queuedNumber.length) {
      growQueue();
    }
    int tail = (head + queued) & (queuedNumber.length - 1);
    queuedNumber[tail] = number;
    queuedLsn[tail] = requiredLsn;
    queued++;
    return false;
  }

  private void growQueue() {
    int capacity = queuedNumber.length;
    long[] numbers = new long[capacity * 2];
    long[] lsns = new long[capacity * 2];
    for (int i = 0; i < queued; i++) {
      numbers[i] = queuedNumber[(head + i) & (capacity - 1)];
      lsns[i] = queuedLsn[(head + i) & (capacity - 1)];
    }
    queuedNumber = numbers;
    queuedLsn = lsns;
    head = 0;
  }

  private void publish(long number) {
    store.publish(number);
    store.pager.publish(number);
  }

  /** Everything up to a record is durable at the level that its commits asked for. */
  private void publishSynced(long lsn) {
    syncedLsn = Math.max(syncedLsn, lsn);
    long newest = -1;
    while (queued > 0 && queuedLsn[head] <= syncedLsn) {
      newest = queuedNumber[head];
      head = (head + 1) & (queuedNumber.length - 1);
      queued--;
    }
    if (newest >= 0) {
      publish(newest);
    }
  }

  /** How often the log was synced for commits. Under the commit lock. */
  long syncs() {
    return syncs;
  }

  /**
   * Makes the log up to a record survive what a level names, for a commit that has no record of its
   * own. Whether a later sync covers that record is known to the log alone, so the queue of commits
   * is not asked. Not under the commit lock.
   */
  void secure(long lsn, CommitLevel level) {
    try {
      store.log.sync(lsn, level.flush());
    } catch (RuntimeException | Error failure) {
      store.fail(failure);
      throw store.refusedException();
    }
  }

  /** Waits until a commit is published; leads a sync if nobody does. Not under the commit lock. */
  void await(long number) {
    boolean interrupted = false;
    groupLock.lock();
    try {
      while (store.published < number) {
        if (store.failure() != null) {
          if (!leading) {
            // This thread may have been the one that was woken to lead: the others wait for it.
            wakeWaiters();
          }
          throw store.refusedException();
        }
        if (!leading && !Thread.currentThread().isVirtual()) {
          leading = true;
          leadUnlocked();
        } else {
          interrupted |= park(new Waiter(number));
        }
      }
    } finally {
      groupLock.unlock();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private boolean park(Waiter waiter) {
    waiters.add(waiter);
    if (!leading) {
      requestSyncThread();
    }
    groupLock.unlock();
    boolean interrupted = false;
    try {
      while (!waiter.woken) {
        LockSupport.park(this);
        interrupted |= Thread.interrupted();
      }
      wake(waiter.left);
      wake(waiter.right);
    } finally {
      groupLock.lock();
    }
    return interrupted;
  }

  private static void wake(Waiter waiter) {
    if (waiter != null) {
      Thread thread = waiter.thread;
      waiter.woken = true;
      LockSupport.unpark(thread);
    }
  }

  /** Lets go of the group lock, syncs, takes it again and wakes whom the sync served. */
  private void leadUnlocked() {
    groupLock.unlock();
    try {
      sync();
    } catch (RuntimeException | Error failure) {
      store.fail(failure);
    } finally {
      groupLock.lock();
      leading = false;
      wakeWaiters();
    }
  }

  private void sync() {
    long target;
    CommitLevel level;
    store.commitLock.lock();
    try {
      target = store.log.lastLsn();
      level = strongest;
      strongest = CommitLevel.NONE;
      if (level == CommitLevel.NONE) {
        return; // an earlier leader has served everybody
      }
    } finally {
      store.commitLock.unlock();
    }
    long synced = store.log.sync(target, level.flush());
    store.commitLock.lock();
    try {
      syncs++;
      // Commits that came during the sync are served too, unless one of them asked for more.
      publishSynced(strongest.compareTo(level) <= 0 ? synced : Math.min(synced, target));
      if (strongest.compareTo(level) <= 0 && requiredLsn <= syncedLsn) {
        strongest = CommitLevel.NONE;
      }
    } finally {
      store.commitLock.unlock();
    }
  }

  /** Wakes those who are served, as a tree, and one of the others to lead the next sync. */
  private void wakeWaiters() {
    long published = store.published;
    boolean failed = store.failure() != null || stopped;
    List<Waiter> served = new ArrayList<>();
    List<Waiter> rest = new ArrayList<>();
    for (Waiter waiter : waiters) {
      (failed || waiter.number <= published ? served : rest).add(waiter);
    }
    Waiter nextLeader = null;
    for (int i = 0; i < rest.size() && nextLeader == null; i++) {
      if (!rest.get(i).thread.isVirtual()) {
        nextLeader = rest.remove(i);
      }
    }
    waiters = rest;
    for (int i = 0; i < served.size(); i++) {
      int child = 2 * i + 1;
      served.get(i).left = child < served.size() ? served.get(child) : null;
      served.get(i).right = child + 1 < served.size() ? served.get(child + 1) : null;
    }
    if (!served.isEmpty()) {
      wake(served.getFirst());
    }
    wake(nextLeader);
    if (nextLeader == null && !rest.isEmpty()) {
      requestSyncThread();
    }
  }

  private void requestSyncThread() {
    syncRequested = true;
    if (syncThread == null) {
      // Kept only once it runs: where no thread can be had now, the next request tries again.
      syncThread =
          Thread.ofPlatform().daemon().name("kvdb-sync " + store.path()).start(this::syncLoop);
    } else {
      LockSupport.unpark(syncThread);
    }
  }

  private void syncLoop() {
    groupLock.lock();
    try {
      while (!stopped) {
        if (syncRequested && !leading) {
          syncRequested = false;
          leading = true;
          leadUnlocked();
        } else {
          groupLock.unlock();
          try {
            LockSupport.park(this);
          } finally {
            groupLock.lock();
          }
        }
      }
    } finally {
      groupLock.unlock();
    }
  }

  /** Ends the thread that syncs for virtual threads. Nobody may be waiting any more. */
  void stop() {
    Thread thread;
    groupLock.lock();
    try {
      stopped = true;
      thread = syncThread;
      LockSupport.unpark(thread);
    } finally {
      groupLock.unlock();
    }
    Threads.joinUninterruptibly(thread);
  }
}
