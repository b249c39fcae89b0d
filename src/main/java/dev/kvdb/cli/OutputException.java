package dev.kvdb.cli;

import java.io.IOException;

/** Standard output could not be written. */
final class OutputException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  OutputException(IOException cause) {
    super("standard output: " + cause.getMessage(), cause);
  }

  /** Whether the reader of a pipe has gone, as in {@code kvdb scan DB | head -1}. */
  boolean isClosedPipe() {
    String message = getCause().getMessage();
    return message != null && (message.contains("Broken pipe") || message.contains("EPIPE"));
  }
}
