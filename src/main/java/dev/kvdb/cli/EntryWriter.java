package dev.kvdb.cli;

/** Writes entries to an output file of one format. For one thread. */
interface EntryWriter {
  /** Writes what comes before the first entry. */
  default void begin() {}

  /**
   * Writes one entry.
   *
   * @throws IllegalArgumentException if the encoding has no text for the key
   */
  void write(byte[] key, byte[] value);

  /** Writes what comes after the last entry. */
  default void end() {}
}
