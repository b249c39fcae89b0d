package dev.kvdb;

/**
 * The root of every failure of kvdb. The message names the file, what is wrong and what to do; it
 * may be shown to a person as it is. A failed operation has changed nothing unless its
 * documentation says otherwise.
 */
public class KvdbException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what is wrong, with the file's name, and what to do
   * @param cause what led to it, null if nothing did
   */
  KvdbException(String message, Throwable cause) {
    super(message, cause);
  }
}
