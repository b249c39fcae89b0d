package dev.kvdb.cli;

/** A line of an input file that cannot be taken. */
final class BadInputException extends Exception {
  private static final long serialVersionUID = 1L;

  private final long lineNumber;

  /**
   * @param lineNumber counted from 1
   * @param problem what is wrong with it and, in parentheses, what to do
   */
  BadInputException(long lineNumber, String problem) {
    super(problem);
    this.lineNumber = lineNumber;
  }

  long lineNumber() {
    return lineNumber;
  }
}
