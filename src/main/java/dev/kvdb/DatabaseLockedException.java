package dev.kvdb;

import java.util.OptionalLong;

/**
 * The database is open elsewhere: for writing by another process or by this one, or for reading
 * while it was to be opened for writing. The lock dies with the process that holds it.
 */
public final class DatabaseLockedException extends KvdbException {
  private static final long serialVersionUID = 1L;

  private final long ownerPid;

  /**
   * @param message what is wrong and what to do
   * @param cause what led to it
   * @param ownerPid the process that holds the lock, 0 or less if that is not known
   */
  DatabaseLockedException(String message, Throwable cause, long ownerPid) {
    super(message, cause);
    this.ownerPid = ownerPid;
  }

  /** The process that holds the lock, empty if that is not known. */
  public OptionalLong ownerPid() {
    return ownerPid > 0 ? OptionalLong.of(ownerPid) : OptionalLong.empty();
  }
}
