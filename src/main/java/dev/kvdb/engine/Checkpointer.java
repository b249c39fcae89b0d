package dev.kvdb.engine;

import dev.kvdb.log.LogPosition;
import dev.kvdb.page.PageFormat;
import dev.kvdb.pager.Catalog;
import dev.kvdb.pager.CheckpointWriter;
import dev.kvdb.pager.Failpoint;
import dev.kvdb.pager.LogStart;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Takes checkpoints, in the background when the log or the dead pages have grown, and on request;
 * and starts the log before the first commit of an open.
 */
final class Checkpointer {
  /** What a checkpoint is taken for; decides what its meta says. */
  private enum Purpose {
    RUNNING,
    RECOVERY,
    CLOSE
  }

  private static final long RETRY_NANOS = 100_000_000;

  private final Store store;
  private final CheckpointWriter writer;

  /** One checkpoint at a time; also guards the metas and the start of the log. */
  private final ReentrantLock mutex = new ReentrantLock();

  /** For commits that wait for room in the log. */
  private final ReentrantLock roomLock = new ReentrantLock();

  private final Condition roomMade = roomLock.newCondition();
  private volatile boolean logStarted;
  private volatile boolean requested;
  private volatile boolean stopped;
  private volatile RuntimeException lastFailure;
  private volatile RuntimeException lastCutFailure;
  private volatile RuntimeException lastPrepareFailure;
  private volatile LogPosition durableStart;
  private volatile long attempts;
  private final Thread checkpointThread;
  private final Thread slotThread;
  private volatile boolean slotWanted;
  private volatile long checkpoints;
  private volatile long triggered;
  private long liveBytes;

  Checkpointer(Store store) {
    this.store = store;
    this.writer = store.checkpointWriter;
    this.checkpointThread =
        Thread.ofPlatform()
            .daemon()
            .name("kvdb-checkpoint " + store.path())
            .unstarted(this::checkpointLoop);
    this.slotThread =
        Thread.ofPlatform().daemon().name("kvdb-log " + store.path()).unstarted(this::slotLoop);
  }

  void start() {
    checkpointThread.start();
    slotThread.start();
  }

  // ------------------------------------------------------------------ the log's start and room

  /**
   * Starts the log once per open: the first slot is made ready and durable, then metas that name it
   * and no longer say "clean" go to both places. Only then may a record be appended (I-17).
   */
  void startLog() {
    if (logStarted) {
      return;
    }
    mutex.lock();
    try {
      if (logStarted) {
        return;
      }
      store.requireWritable();
      startLogLocked();
    } finally {
      mutex.unlock();
    }
  }

  private void startLogLocked() {
    LogPosition start;
    try {
      start = store.log.start();
    } catch (RuntimeException problem) {
      throw store.translate(problem);
    }
    long number;
    store.commitLock.lock();
    try {
      number = ++store.nextNumber;
    } finally {
      store.commitLock.unlock();
    }
    Failpoint.reach("log.prepared");
    try {
      writer.writeMetaToBoth(
          writer
              .durableMeta()
              .withLog(toStart(start), number, start.nextLsn(), store.log.nextSlotNumber()));
    } catch (RuntimeException problem) {
      store.fail(problem);
      throw store.refusedException();
    }
    durableStart = start;
    logStarted = true;
  }

  private static LogStart toStart(LogPosition position) {
    return new LogStart(
        position.slotNumber(), position.slotSalt(), position.offset(), position.chain());
  }

  /**
   * Waits, before the commit lock is taken, until a record fits below the log's hard limit. A
   * record that no log could hold is let over the limit once the log is as empty as a checkpoint
   * makes it.
   */
  void awaitLogRoom(long payloadBytes) {
    if (hasRoom(payloadBytes)) {
      return;
    }
    roomLock.lock();
    try {
      long attemptsBefore = attempts;
      while (!hasRoom(payloadBytes)) {
        store.requireWritable();
        RuntimeException failure = lastFailure;
        if (failure != null && attempts > attemptsBefore) {
          throw store.translate(failure);
        }
        request();
        roomMade.awaitUninterruptibly();
      }
    } finally {
      roomLock.unlock();
    }
  }

  private boolean hasRoom(long payloadBytes) {
    return store.log.fitsNow(payloadBytes)
        || (!store.log.fitsEmptyLog(payloadBytes)
            && bytesSinceDurable() < store.options.logBytesTrigger());
  }

  private long bytesSinceDurable() {
    return store.log.bytesSince(durableStart);
  }

  private void signalRoom() {
    roomLock.lock();
    try {
      roomMade.signalAll();
    } finally {
      roomLock.unlock();
    }
  }

  // ------------------------------------------------------------------ triggers

  /** Looks whether a checkpoint or a new log slot is due. Under the commit lock. */
  void afterCommit() {
    if (!requested && isDue()) {
      triggered++;
      request();
    }
    if (!slotWanted && (store.log.wantsPrepare() || store.pager.wantsFramesTouched())) {
      slotWanted = true;
      LockSupport.unpark(slotThread);
    }
  }

  private boolean isDue() {
    return bytesSinceDurable() >= store.options.logBytesTrigger()
        || store.pager.deadPagesOfCheckpoint() * (long) PageFormat.PAGE_BYTES
            >= Math.max(store.options.deadBytesTrigger(), liveBytes);
  }

  /** The disk is full: a checkpoint may free pages and log slots for whoever tries again. */
  void makeRoom() {
    if (!requested) {
      triggered++;
      request();
    }
  }

  private void request() {
    requested = true;
    LockSupport.unpark(checkpointThread);
  }

  private void checkpointLoop() {
    while (!stopped) {
      if (!requested) {
        LockSupport.park(this);
        continue;
      }
      try {
        takeCheckpoint(Purpose.RUNNING);
        lastFailure = null;
      } catch (RuntimeException problem) {
        lastFailure = problem;
      } catch (Error problem) {
        store.fail(problem);
      }
      attempts++;
      requested = false;
      signalRoom();
      if (lastFailure != null) {
        // Tried again at the next trigger, but not in a row without a pause.
        LockSupport.parkNanos(this, RETRY_NANOS);
      }
    }
  }

  private void slotLoop() {
    while (!stopped) {
      if (!slotWanted) {
        LockSupport.park(this);
        continue;
      }
      try {
        if (store.log.wantsPrepare()) {
          store.log.prepareAhead();
        }
        lastPrepareFailure = null;
      } catch (RuntimeException problem) {
        // The commit that needs the slot prepares it itself and reports what stands in the way.
        lastPrepareFailure = problem;
      }
      if (store.pager.wantsFramesTouched()) {
        store.pager.touchFramesAhead();
      }
      slotWanted = false;
    }
  }

  // ------------------------------------------------------------------ checkpoints

  /** Takes a checkpoint now and waits for it. */
  void checkpoint() {
    mutex.lock();
    try {
      store.requireWritable();
      takeCheckpoint(Purpose.RUNNING);
      if (writer.isTailHeldByCatalog()) {
        // The catalog had to go behind pages that this checkpoint has just freed.
        takeCheckpoint(Purpose.RUNNING);
      }
      lastFailure = null;
    } finally {
      mutex.unlock();
      signalRoom();
    }
  }

  /** The checkpoint that ends a recovery: it names no log. */
  void checkpointAfterRecovery() {
    takeCheckpoint(Purpose.RECOVERY);
  }

  /** The checkpoint of a clean close; nothing is written if nothing was since the open. */
  void checkpointForClose() {
    mutex.lock();
    try {
      // Behind a recovery without a commit the other meta still names the log that goes now.
      if (logStarted || !writer.durableMeta().clean()) {
        takeCheckpoint(Purpose.CLOSE);
        if (writer.isTailHeldByCatalog()) {
          takeCheckpoint(Purpose.CLOSE);
        }
      }
    } finally {
      mutex.unlock();
    }
  }

  private void takeCheckpoint(Purpose purpose) {
    mutex.lock();
    try {
      if (purpose == Purpose.RUNNING) {
        startLog();
      }
      if (store.failure() != null) {
        throw store.refusedException();
      }
      run(purpose);
    } finally {
      mutex.unlock();
    }
  }

  private void run(Purpose purpose) {
    long number;
    LogPosition position = null;
    int nextTableId;
    store.commitLock.lock();
    try {
      number = store.nextNumber++;
      store.tables.closeOpenLeaves();
      writer.begin(number);
      nextTableId = store.tables.nextId();
      if (purpose == Purpose.RUNNING) {
        position = store.log.position();
      }
    } finally {
      store.commitLock.unlock();
    }
    Failpoint.reach("checkpoint.begun");
    try {
      writer.writePages();
      writer.writeCatalog(catalogTables(number));
      Failpoint.reach("checkpoint.written");
    } catch (RuntimeException | Error problem) {
      writer.abandon();
      throw store.translate(problem);
    }
    try {
      writer.flushPages();
    } catch (RuntimeException | Error problem) {
      // The system may have dropped what was written, and the next flush would not tell (I-14).
      store.fail(problem);
      writer.abandon();
      throw store.refusedException();
    }
    try {
      planMeta(purpose, nextTableId, position);
      if (store.failure() != null) {
        throw store.refusedException();
      }
    } catch (RuntimeException | Error problem) {
      writer.abandon();
      throw store.translate(problem);
    }
    try {
      writer.writeMeta();
      finish(position);
    } catch (RuntimeException | Error problem) {
      // Also when the meta is durable: what it reaches may not have been noted down as held.
      store.fail(problem);
      throw store.refusedException();
    }
  }

  private void planMeta(Purpose purpose, int nextTableId, LogPosition position) {
    long nextNumber;
    long nextLsn;
    store.commitLock.lock();
    try {
      nextNumber = store.nextNumber;
      nextLsn = position == null ? store.log.lastLsn() + 1 : position.nextLsn();
    } finally {
      store.commitLock.unlock();
    }
    writer.planMeta(
        nextNumber,
        nextTableId,
        purpose == Purpose.CLOSE,
        nextLsn,
        store.log.nextSlotNumber(),
        position == null ? null : toStart(position),
        System.currentTimeMillis());
  }

  private void finish(LogPosition position) {
    writer.finish();
    if (position != null) {
      durableStart = position;
      store.log.raiseDurable(position.nextLsn() - 1);
      store.log.release(position);
    }
    store.commitLock.lock();
    try {
      liveBytes =
          (store.pager.filePages() - store.pager.freePages()) * (long) PageFormat.PAGE_BYTES;
      store.tables.prune(store.pager);
      checkpoints++;
    } finally {
      store.commitLock.unlock();
    }
    Failpoint.reach("checkpoint.finished");
    try {
      writer.cutTail();
      lastCutFailure = null;
    } catch (RuntimeException problem) {
      // The checkpoint is durable; a tail that could not be given back is tried at the next one.
      lastCutFailure = problem;
    }
  }

  private List<Catalog.Table> catalogTables(long number) {
    List<Catalog.Table> tables = new ArrayList<>();
    for (Map.Entry<String, EngineTable> entry : store.tables.namedAt(number).entrySet()) {
      EngineTable table = entry.getValue();
      RootEntry root = table.rootAt(number);
      tables.add(
          new Catalog.Table(
              table.id(), entry.getKey(), root.page, root.birth, root.height, root.count));
    }
    return tables;
  }

  /** Runs something while no checkpoint is under way. */
  void whileNoneRuns(Runnable action) {
    mutex.lock();
    try {
      store.requireOpen();
      action.run();
    } finally {
      mutex.unlock();
    }
  }

  // ------------------------------------------------------------------ end

  /** Wakes commits that wait for room: they find the database closing. */
  void wakeWaiters() {
    signalRoom();
  }

  /**
   * Waits for whoever writes the file outside the commit lock: a checkpoint that a user asked for,
   * or the start of the log. New ones are refused already.
   */
  void awaitIdle() {
    mutex.lock();
    mutex.unlock();
  }

  /** Ends the background threads, waiting for a checkpoint that is under way. */
  void stop() {
    stopped = true;
    LockSupport.unpark(checkpointThread);
    LockSupport.unpark(slotThread);
    Threads.joinUninterruptibly(checkpointThread);
    Threads.joinUninterruptibly(slotThread);
  }

  long checkpoints() {
    return checkpoints;
  }

  /** Checkpoints that a trigger, not a caller, asked for. */
  long triggeredCheckpoints() {
    return triggered;
  }

  /** Why the newest background work did not succeed; null if it did. */
  RuntimeException lastFailure() {
    RuntimeException failure = lastFailure;
    if (failure == null) {
      failure = lastPrepareFailure;
    }
    return failure == null ? lastCutFailure : failure;
  }
}
