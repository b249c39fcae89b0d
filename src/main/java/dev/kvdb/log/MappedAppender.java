package dev.kvdb.log;

import dev.kvdb.page.Faults;

/**
 * Stores each record into the mapped file. A store that faults is done again with a call, which
 * either succeeds or tells what is wrong.
 */
class MappedAppender implements Appender {
  private final Appender fallback;

  /**
   * @param fallback writes what could not be stored
   */
  MappedAppender(Appender fallback) {
    this.fallback = fallback;
  }

  @Override
  public final void write(SlotFile slot, long offset, byte[] bytes, int from, int length) {
    try {
      slot.mapping.store(offset, bytes, from, length);
      poll();
    } catch (InternalError fault) {
      try {
        fallback.write(slot, offset, bytes, from, length);
      } catch (RuntimeException e) {
        e.addSuppressed(fault);
        throw e;
      }
    }
  }

  /** Lets a fault of the store be thrown before the record counts; a test can leave it out. */
  void poll() {
    Faults.poll();
  }

  @Override
  public final void close() {
    fallback.close();
  }
}
