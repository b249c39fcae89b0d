package dev.kvdb.engine;

import dev.kvdb.nativecalls.NativeCallException;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Closes a database, step by step; every step runs even if one before it fails, and the first
 * failure is reported at the end.
 */
final class Closing {
  /** What is appended to a database's name for the empty file behind views that outlive it. */
  private static final String EMPTY_SUFFIX = "-closed";

  private final Store store;
  private final ViewCount views;
  private final GroupCommit group;
  private final Checkpointer checkpointer;
  private final Committer committer;
  private Throwable firstProblem;
  private boolean done;

  Closing(
      Store store,
      ViewCount views,
      GroupCommit group,
      Checkpointer checkpointer,
      Committer committer) {
    this.store = store;
    this.views = views;
    this.group = group;
    this.checkpointer = checkpointer;
    this.committer = committer;
  }

  synchronized void close() {
    if (done) {
      return;
    }
    done = true;
    refuseNewWork();
    if (checkpointer != null) {
      step(checkpointer::wakeWaiters);
      step(committer::awaitIdle);
      step(checkpointer::stop);
      step(group::stop);
      step(checkpointer::awaitIdle);
      if (store.failure() == null) {
        step(checkpointer::checkpointForClose);
      }
      step(this::closeLog);
    }
    step(store.space::closeArena);
    step(store.space::unmapTable);
    step(this::letPagesGo);
    step(store.file::close);
    rethrow();
  }

  /** Runs something that a close waits for. */
  synchronized void whileOpen(Runnable action) {
    store.requireOpen();
    action.run();
  }

  /** Under the commit lock, so that no commit that began before is still inside. */
  private void refuseNewWork() {
    store.commitLock.lock();
    try {
      store.startClosing();
    } finally {
      store.commitLock.unlock();
    }
  }

  private void closeLog() {
    try {
      if (firstProblem == null && store.failure() == null) {
        // The metas on disk name no log any more: its files are of no further use.
        store.log.removeFiles();
      }
    } finally {
      store.log.close();
    }
  }

  /**
   * While snapshots that handed out views are open, an empty file lies where the pages were; the
   * range is given back when the last of them ends.
   */
  private void letPagesGo() {
    views.settle(store.space::unmapPages, () -> store.space.replaceByEmptyFile(unusedName()));
  }

  /** A name that nothing has, so that no neighbour is taken for the empty file and unlinked. */
  private Path unusedName() {
    while (true) {
      String random = Long.toUnsignedString(ThreadLocalRandom.current().nextLong(), 36);
      Path name =
          store.path().resolveSibling(store.path().getFileName() + EMPTY_SUFFIX + "-" + random);
      if (store.calls.status(name) == null) {
        return name;
      }
    }
  }

  private void step(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException | Error problem) {
      if (firstProblem == null) {
        firstProblem = problem;
      } else {
        firstProblem.addSuppressed(problem);
      }
    }
  }

  private void rethrow() {
    if (firstProblem instanceof NativeCallException problem) {
      throw Problems.translate(store.path(), problem);
    } else if (firstProblem instanceof RuntimeException problem) {
      throw problem;
    } else if (firstProblem instanceof Error problem) {
      throw problem;
    }
  }
}
