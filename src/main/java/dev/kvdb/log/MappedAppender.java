package dev.kvdb.log;

import dev.kvdb.nativecalls.NativeCalls;
import dev.kvdb.page.Faults;

/**
 * Stores each record into the mapped file. A store that faults is done again with a call, which
 * either succeeds or tells what is wrong.
 */
class MappedAppender implements Appender {
  private final NativeCalls calls;
  private final long slotBytes;
  private final Appender fallback;
  private final FailureState failure;

  /**
   * @param slotBytes the size of every slot
   * @param fallback writes what could not be stored
   * @param failure told if records were lost
   */
  MappedAppender(NativeCalls calls, long slotBytes, Appender fallback, FailureState failure) {
    this.calls = calls;
    this.slotBytes = slotBytes;
    this.fallback = fallback;
    this.failure = failure;
  }

  @Override
  public final void write(SlotFile slot, long offset, byte[] bytes, int from, int length) {
    try {
      slot.mapping.store(offset, bytes, from, length);
      poll();
    } catch (InternalError fault) {
      try {
        restoreSize(slot, offset);
        fallback.write(slot, offset, bytes, from, length);
      } catch (RuntimeException e) {
        e.addSuppressed(fault);
        throw e;
      }
    }
  }

  /**
   * Gives a file that was cut short its size back before it is written to. Otherwise the write
   * would leave its end within a page of memory, where stores behind it are lost without a fault.
   */
  private void restoreSize(SlotFile slot, long offset) {
    long size = calls.status(slot.descriptor).size();
    if (size < offset) {
      throw failure.failAppends(
          "the end of the log's records is gone",
          new IllegalStateException(
              slot.path + " was cut to " + size + " bytes while its log was in use"));
    }
    if (size < slotBytes) {
      calls.allocate(slot.descriptor, 0, slotBytes);
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
