package dev.kvdb.log;

/** The slot file in which replay has to start is not there. */
public final class LogMissingException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param problem which slot is needed, and what was found instead
   */
  public LogMissingException(String problem) {
    super(problem);
  }
}
