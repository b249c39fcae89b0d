package dev.kvdb;

/**
 * The disk or a quota is full. That one operation failed and changed nothing; the database stays
 * usable, deletes included. Make room and repeat it.
 */
public final class DiskFullException extends KvdbException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what is wrong, with the file's name, and what to do
   * @param cause what led to it, null if nothing did
   */
  DiskFullException(String message, Throwable cause) {
    super(message, cause);
  }
}
