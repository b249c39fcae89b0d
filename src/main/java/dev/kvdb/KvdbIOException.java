package dev.kvdb;

/**
 * A call to the operating system failed (other than by a full disk). The cause tells call and
 * errno.
 */
public final class KvdbIOException extends KvdbException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what is wrong, with the file's name, and what to do
   * @param cause what led to it, null if nothing did
   */
  KvdbIOException(String message, Throwable cause) {
    super(message, cause);
  }
}
