package dev.kvdb;

/**
 * The file is no kvdb database, was written by a version of kvdb that this one cannot read, or has
 * names or a kind that kvdb does not open (a directory, a second hard link).
 */
public final class UnsupportedDatabaseException extends KvdbException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what is wrong, with the file's name, and what to do
   * @param cause what led to it, null if nothing did
   */
  UnsupportedDatabaseException(String message, Throwable cause) {
    super(message, cause);
  }
}
