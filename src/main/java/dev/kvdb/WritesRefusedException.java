package dev.kvdb;

/**
 * A write to the log or the file failed in a way that leaves open what reached the disk, so every
 * later write is refused; reads go on with the last published state. The cause tells the first
 * failure. Close the database and open it again: opening decides what is there.
 */
public final class WritesRefusedException extends KvdbException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what is wrong, with the file's name, and what to do
   * @param cause what led to it, null if nothing did
   */
  WritesRefusedException(String message, Throwable cause) {
    super(message, cause);
  }
}
