package dev.kvdb.log;

/** Puts the bytes of a record into a slot. Used under the commit lock. */
interface Appender {
  /**
   * Writes bytes. Once this has returned they survive the death of the process.
   *
   * @param slot where to
   * @param offset in bytes from the start of the slot file
   * @param bytes holds what to write
   * @param from index of the first byte
   * @param length how many, a multiple of 8, at most {@link LogFormat#RECORD_BYTES_MAX}
   * @throws dev.kvdb.nativecalls.NativeCallException if that failed; any part of the bytes may then
   *     have been written
   */
  void write(SlotFile slot, long offset, byte[] bytes, int from, int length);

  /** Gives back what memory the appender holds. */
  void close();
}
