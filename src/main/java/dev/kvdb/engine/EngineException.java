package dev.kvdb.engine;

/** What went wrong, of which kind, in words for the user. */
public final class EngineException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** What a caller can tell apart. */
  public enum Kind {
    /** There is no database at that path. */
    NOT_FOUND,
    /** Another open of the file excludes this one. */
    LOCKED,
    /** The database was closed. */
    CLOSED,
    /** It was opened for reading only. */
    READ_ONLY,
    /** A flush or a meta page failed: nobody can tell what the disk holds, so writing has ended. */
    WRITES_REFUSED,
    /** The file or the log is damaged. */
    CORRUPT,
    /** The log that the file needs is not there. */
    LOG_MISSING,
    /** Not a database of this format. */
    UNSUPPORTED,
    /** A limit set by the format or an option was exceeded. */
    LIMIT,
    /** The disk or a quota is full. */
    OUT_OF_SPACE,
    /** There is no such table. */
    NO_SUCH_TABLE,
    /** The operating system refused or failed a call. */
    IO
  }

  private final Kind kind;
  private final long lockedByPid;

  /**
   * @param message names the file and says what to do
   * @param cause may be null
   */
  public EngineException(Kind kind, String message, Throwable cause) {
    this(kind, message, cause, -1);
  }

  EngineException(Kind kind, String message, Throwable cause, long lockedByPid) {
    super(message, cause);
    this.kind = kind;
    this.lockedByPid = lockedByPid;
  }

  /** The process that holds the lock, if this is about one and it is known; else -1. */
  public long lockedByPid() {
    return lockedByPid;
  }

  /** What went wrong. */
  public Kind kind() {
    return kind;
  }
}
