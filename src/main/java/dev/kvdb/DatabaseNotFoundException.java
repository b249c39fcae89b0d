package dev.kvdb;

/**
 * There is no database of that name, and it was not to be created (or could not be, because its
 * folder does not exist).
 */
public final class DatabaseNotFoundException extends KvdbException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what is wrong, with the file's name, and what to do
   * @param cause what led to it, null if nothing did
   */
  DatabaseNotFoundException(String message, Throwable cause) {
    super(message, cause);
  }
}
