package dev.kvdb;

/**
 * A change was asked of a database that was opened read-only (see {@link Options#withReadOnly}).
 */
public final class ReadOnlyDatabaseException extends KvdbException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what is wrong, with the file's name, and what to do
   * @param cause what led to it, null if nothing did
   */
  ReadOnlyDatabaseException(String message, Throwable cause) {
    super(message, cause);
  }
}
