package dev.kvdb;

/**
 * There is no table of that name, or the table was dropped, or it did not exist yet in the snapshot
 * that was asked.
 */
public final class NoSuchTableException extends KvdbException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what is wrong, with the file's name, and what to do
   * @param cause what led to it, null if nothing did
   */
  NoSuchTableException(String message, Throwable cause) {
    super(message, cause);
  }
}
