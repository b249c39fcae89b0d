package dev.kvdb.engine;

import dev.kvdb.engine.EngineException.Kind;
import dev.kvdb.log.Log;
import dev.kvdb.nativecalls.NativeCalls;
import dev.kvdb.pager.AddressSpace;
import dev.kvdb.pager.CheckpointWriter;
import dev.kvdb.pager.Pager;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;

/** What the parts of one open database share. */
final class Store {
  private static final VarHandle PUBLISHED;

  static {
    try {
      PUBLISHED = MethodHandles.lookup().findVarHandle(Store.class, "published", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final NativeCalls calls;
  final DatabaseFile file;
  final EngineOptions options;
  final AddressSpace space;
  final Pager pager;
  final Tables tables;
  final CheckpointWriter checkpointWriter;

  /** Null when the database is open for reading only. */
  final Log log;

  /**
   * The commit lock: whatever changes the applied state holds it. Nobody waits for a key, a
   * reader's transaction, a sync or a checkpoint while holding it.
   */
  final ReentrantLock commitLock;

  /** The next number of the one counter (I-2). Under the commit lock. */
  long nextNumber;

  /** The number of the newest applied commit. Under the commit lock. */
  long appliedNumber;

  /** What plain readers see: the newest commit that is durable at its level. */
  volatile long published;

  /** Why writing has ended; null while it has not. */
  private volatile Throwable failure;

  private volatile boolean closing;

  Store(
      NativeCalls calls,
      DatabaseFile file,
      EngineOptions options,
      AddressSpace space,
      Pager pager,
      Tables tables,
      CheckpointWriter checkpointWriter,
      Log log,
      ReentrantLock commitLock) {
    this.calls = calls;
    this.file = file;
    this.options = options;
    this.space = space;
    this.pager = pager;
    this.tables = tables;
    this.checkpointWriter = checkpointWriter;
    this.log = log;
    this.commitLock = commitLock;
  }

  /**
   * Lets plain readers see a commit. A store that is only released is enough: before anything is
   * reused the pager passes a full fence (I-8), and the commit lock is given back with one.
   */
  void publish(long number) {
    PUBLISHED.setRelease(this, number);
  }

  Path path() {
    return file.path();
  }

  /** Ends writing for good: nobody can tell any more what the disk holds (I-14). */
  void fail(Throwable cause) {
    if (failure == null) {
      failure = cause;
    }
  }

  Throwable failure() {
    return failure;
  }

  void startClosing() {
    closing = true;
  }

  boolean isClosing() {
    return closing;
  }

  EngineException closedException() {
    return new EngineException(
        Kind.CLOSED, path() + ": the database was closed (open it again)", null);
  }

  EngineException refusedException() {
    Throwable cause = failure;
    return new EngineException(
        Kind.WRITES_REFUSED,
        path()
            + ": no longer writable, because what reached the disk is unknown since: "
            + cause.getMessage()
            + " (close it and open it again)",
        cause);
  }

  void requireOpen() {
    if (closing) {
      throw closedException();
    }
  }

  void requireWritable() {
    requireOpen();
    if (options.readOnly()) {
      throw new EngineException(
          Kind.READ_ONLY, path() + ": opened for reading only (open it for writing)", null);
    }
    if (failure != null) {
      throw refusedException();
    }
  }

  /** The one place where what went wrong below becomes what the user is told. */
  RuntimeException translate(Throwable problem) {
    if (closing && problem instanceof IllegalStateException) {
      return closedException();
    }
    return switch (problem) {
      case EngineException e -> e;
      case IndexOutOfBoundsException e ->
          new EngineException(
              Kind.CORRUPT,
              path()
                  + ": a page leads outside of its bounds: "
                  + e.getMessage()
                  + " (run verify; restore from a backup)",
              e);
      case InternalError e ->
          new EngineException(
              Kind.CORRUPT,
              path()
                  + ": a mapped page cannot be read; the file was cut short or the disk fails (run"
                  + " verify; restore from a backup)",
              e);
      case RuntimeException e -> Problems.translate(path(), e);
      case Error e -> throw e;
      default -> new EngineException(Kind.IO, path() + ": " + problem.getMessage(), problem);
    };
  }
}
