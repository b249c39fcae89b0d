package dev.kvdb;

/**
 * The database, transaction or cursor was closed, perhaps by another thread in the middle of the
 * operation. Open it again.
 */
public final class DatabaseClosedException extends KvdbException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what is wrong, with the file's name, and what to do
   * @param cause what led to it, null if nothing did
   */
  DatabaseClosedException(String message, Throwable cause) {
    super(message, cause);
  }
}
