package dev.kvdb.cli;

/** A failure that a command found itself, with the exit status it ends with. */
final class CliException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitStatus;

  /**
   * @param exitStatus one of {@link ExitStatus}
   * @param message what is wrong and, in parentheses, what to do; without the database's name
   */
  CliException(int exitStatus, String message) {
    this(exitStatus, message, null);
  }

  CliException(int exitStatus, String message, Throwable cause) {
    super(message, cause);
    this.exitStatus = exitStatus;
  }

  int exitStatus() {
    return exitStatus;
  }
}
