package dev.kvdb;

/**
 * A limit of the open database was met: a batch larger than the log may be, too many tables, no
 * address space left. The message names the limit and the option that sets it.
 */
public final class LimitExceededException extends KvdbException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what is wrong, with the file's name, and what to do
   * @param cause what led to it, null if nothing did
   */
  LimitExceededException(String message, Throwable cause) {
    super(message, cause);
  }
}
