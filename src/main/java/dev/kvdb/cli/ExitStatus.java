package dev.kvdb.cli;

/** What the command line ends with; scripts rely on these numbers. */
final class ExitStatus {
  static final int SUCCESS = 0;
  static final int KEY_NOT_FOUND = 1;
  static final int WRONG_USAGE = 2;
  static final int FAILURE = 3;

  /** The file is damaged or not one that this version can read. */
  static final int DAMAGED = 4;

  static final int LOCKED = 5;

  /** As a shell reports SIGINT. */
  static final int INTERRUPTED = 130;

  /** As a shell reports SIGPIPE: whoever read our output has gone, which is no error. */
  static final int CLOSED_PIPE = 141;

  private ExitStatus() {}
}
