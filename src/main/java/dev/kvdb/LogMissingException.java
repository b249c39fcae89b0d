package dev.kvdb;

/**
 * A log file that the database needs, {@code FILE-wal-N} beside it, is missing or belongs to
 * another database. Commits may be in it, so the database is not opened without it: put the log
 * files back beside the database.
 */
public final class LogMissingException extends CorruptDatabaseException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what is wrong, with the file's name, and what to do
   * @param cause what led to it, null if nothing did
   */
  LogMissingException(String message, Throwable cause) {
    super(message, cause);
  }
}
