package dev.kvdb.cli;

import java.io.IOException;

/** Reads entries from an input file of one format. For one thread. */
interface EntryReader {
  /**
   * Goes to the next entry.
   *
   * @return false at the end of the input
   * @throws BadInputException if what comes next is no entry
   */
  boolean next() throws IOException, BadInputException;

  /** The key of this entry. */
  byte[] key();

  /** The value of this entry. */
  byte[] value();

  /** The number of the line on which this entry ends, counted from 1. */
  long lineNumber();
}
