package dev.kvdb.log;

/**
 * The log can no longer be written: a flush failed, or a record that failed could not be taken
 * back. That is final for this open; the cause is the first failure. Opening the database again
 * decides what survived.
 */
public final class LogFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param problem what failed
   * @param cause the first failure
   */
  public LogFailedException(String problem, Throwable cause) {
    super(problem + ": " + cause.getMessage(), cause);
  }
}
