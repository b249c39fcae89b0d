package dev.kvdb.engine;

import dev.kvdb.engine.EngineException.Kind;
import dev.kvdb.pager.Failpoint;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One order for every commit: apply, log, publish.
 *
 * <p>Under the commit lock: make sure that the record has room in the log, apply the changes to a
 * private root, append the record, make the root the applied root. Whatever fails on the way takes
 * back that one commit; nothing of it was visible, nothing before it is touched. Then, without the
 * lock, wait until the commit is durable at its level and published.
 */
final class Committer {
  private final Store store;
  private final Applier applier;
  private final GroupCommit group;
  private final Checkpointer checkpointer;
  private final ReentrantLock lock;
  private final Condition nobodyWaits;
  private final OperationBuffer single = new OperationBuffer();

  /** Commits that left the lock and wait for durability. Under the commit lock. */
  private int waiting;

  private long commits;

  Committer(Store store, GroupCommit group, Checkpointer checkpointer) {
    this.store = store;
    this.group = group;
    this.checkpointer = checkpointer;
    this.applier = new Applier(store.pager, store.tables);
    this.lock = store.commitLock;
    this.nobodyWaits = lock.newCondition();
  }

  void put(EngineTable table, byte[] key, byte[] value, CommitLevel level) {
    lockForCommit(OperationBuffer.PUT_CONTENT + key.length + value.length);
    single.clear();
    single.put(table.id(), key, value);
    commitAndUnlock(single, level);
  }

  boolean delete(EngineTable table, byte[] key, CommitLevel level) {
    lockForCommit(OperationBuffer.DELETE_CONTENT + key.length);
    single.clear();
    single.delete(table.id(), key);
    return commitAndUnlock(single, level) > 0;
  }

  long deleteRange(EngineTable table, byte[] from, byte[] to, CommitLevel level) {
    lockForCommit(
        OperationBuffer.RANGE_CONTENT
            + (from == null ? 0 : from.length)
            + (to == null ? 0 : to.length));
    single.clear();
    single.deleteRange(table.id(), from, to);
    return commitAndUnlock(single, level);
  }

  void write(OperationBuffer operations, CommitLevel level) {
    if (operations.operationCount() > 0) {
      lockForCommit(operations.length());
      commitAndUnlock(operations, level);
    }
  }

  /** What a change of names does under the commit lock: checks, then fills the buffer. */
  interface NameOperation {
    /** Returns false if nothing is to be done. */
    boolean prepare(OperationBuffer operations);
  }

  void changeNames(NameOperation operation, CommitLevel level) {
    lockForCommit(OperationBuffer.NAME_CONTENT + Tables.NAME_BYTES_MAX);
    boolean prepared;
    try {
      single.clear();
      prepared = operation.prepare(single);
    } catch (RuntimeException | Error problem) {
      lock.unlock();
      throw problem;
    }
    if (prepared) {
      commitAndUnlock(single, level);
    } else {
      unlockAndAwaitSeen(level);
    }
  }

  /** Nothing is to be done; but what was seen is promised as by a commit that changed nothing. */
  private void unlockAndAwaitSeen(CommitLevel level) {
    long number = store.appliedNumber;
    long seenLsn = level == CommitLevel.NONE ? 0 : store.log.lastLsn();
    boolean published = seenLsn == 0 && store.published >= number;
    if (!published) {
      waiting++;
    }
    lock.unlock();
    if (!published) {
      awaitPublished(number, seenLsn, level);
    }
  }

  /**
   * Makes ready what a commit must not wait for under the lock (the first log slot, room in the
   * log), then takes the lock.
   */
  private void lockForCommit(long payloadBytes) {
    store.requireWritable();
    checkpointer.startLog();
    checkpointer.awaitLogRoom(payloadBytes);
    lock.lock();
    if (store.isClosing() || store.failure() != null) {
      lock.unlock();
      store.requireWritable();
      throw store.closedException();
    }
  }

  private long commitAndUnlock(OperationBuffer operations, CommitLevel level) {
    long number;
    long changed;
    long seenLsn = 0;
    boolean published;
    try {
      number = store.nextNumber++;
      changed = applyAndLog(operations, number);
      if (changed == 0) {
        // Nothing changed; but what this commit saw is what it promises, at its own level.
        number = store.appliedNumber;
        seenLsn = level == CommitLevel.NONE ? 0 : store.log.lastLsn();
        published = seenLsn == 0 && store.published >= number;
      } else {
        store.appliedNumber = number;
        published = group.applied(number, store.log.lastLsn(), level);
        commits++;
      }
      if (!published) {
        waiting++;
      }
      checkpointer.afterCommit();
    } finally {
      lock.unlock();
    }
    if (!published) {
      awaitPublished(number, seenLsn, level);
    }
    return changed;
  }

  private long applyAndLog(OperationBuffer operations, long number) {
    boolean logged = false;
    try {
      store.log.reserve(operations.length());
      applier.begin(number, operations.onlyDeletes());
      long changed = applier.applyCommit(operations.bytes(), operations.length());
      if (changed == 0) {
        applier.abandon();
        return 0;
      }
      Failpoint.reach("commit.applied");
      store.log.append(number, operations.bytes(), 0, operations.length());
      logged = true;
      Failpoint.reach("commit.appended");
      applier.seal();
      return changed;
    } catch (RuntimeException | Error problem) {
      if (logged) {
        // The record is in the log and the state in memory is not what it says.
        store.fail(problem);
      } else {
        applier.abandon();
      }
      RuntimeException told = store.translate(problem);
      if (told instanceof EngineException e && e.kind() == Kind.OUT_OF_SPACE) {
        checkpointer.makeRoom();
      }
      throw told;
    }
  }

  /**
   * @param seenLsn up to where the log is what a commit without a record saw, else 0
   */
  private void awaitPublished(long number, long seenLsn, CommitLevel level) {
    try {
      if (seenLsn > 0) {
        group.secure(seenLsn, level);
      }
      group.await(number);
    } finally {
      lock.lock();
      try {
        if (--waiting == 0) {
          nobodyWaits.signalAll();
        }
      } finally {
        lock.unlock();
      }
    }
  }

  /** Waits until no commit is on its way; new ones are refused already. */
  void awaitIdle() {
    lock.lock();
    try {
      while (waiting > 0) {
        nobodyWaits.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  long commits() {
    return commits;
  }

  /** Creates a table or finds it; the check and the creation are one commit. */
  EngineTable createTable(String name, byte[] encodedName, CommitLevel level) {
    EngineTable[] existing = new EngineTable[1];
    changeNames(
        operations -> {
          existing[0] = store.tables.findApplied(name);
          if (existing[0] == null) {
            operations.createTable(store.tables.nextId(), encodedName);
          }
          return existing[0] == null;
        },
        level);
    if (existing[0] != null) {
      return existing[0];
    }
    EngineTable created = store.tables.find(name, store.published);
    if (created == null) {
      throw new EngineException(
          Kind.NO_SUCH_TABLE,
          store.path() + ": table \"" + name + "\" was dropped meanwhile",
          null);
    }
    return created;
  }

  void dropTable(String name, CommitLevel level) {
    changeNames(
        operations -> {
          operations.dropTable(requireTable(name).id());
          return true;
        },
        level);
  }

  void renameTable(String from, String to, byte[] encodedName, CommitLevel level) {
    changeNames(
        operations -> {
          EngineTable table = requireTable(from);
          if (store.tables.findApplied(to) != null) {
            throw new IllegalArgumentException(
                store.path() + ": there is a table \"" + to + "\" already (drop it first)");
          }
          operations.renameTable(table.id(), encodedName);
          return true;
        },
        level);
  }

  private EngineTable requireTable(String name) {
    EngineTable table = store.tables.findApplied(name);
    if (table == null) {
      throw new EngineException(
          Kind.NO_SUCH_TABLE, store.path() + ": there is no table \"" + name + "\"", null);
    }
    return table;
  }
}
