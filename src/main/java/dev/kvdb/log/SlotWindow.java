package dev.kvdb.log;

import dev.kvdb.nativecalls.NativeCalls;
import dev.kvdb.nativecalls.NativeCalls.OpenMode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A window of private memory that moves over slot files. What is checked and handed out are these
 * bytes, which no one else can change. Used by one thread.
 */
final class SlotWindow implements AutoCloseable {
  private static final int WINDOW_BYTES = 16 * LogFormat.RECORD_BYTES_MAX;

  private final NativeCalls calls;
  private final Arena arena = Arena.ofConfined();
  private final MemorySegment buffer;
  private final byte[] bytes;

  private LogDirectory.Slot slot;
  private int descriptor = -1;
  private long windowStart;
  private int windowLength;

  SlotWindow(NativeCalls calls, long slotBytesMax) {
    this.calls = calls;
    int length = (int) Math.min(WINDOW_BYTES, slotBytesMax);
    buffer = arena.allocate(length, Long.BYTES);
    bytes = new byte[length];
  }

  /** Moves the window to the records of a slot. */
  void enter(LogDirectory.Slot next) {
    leave();
    descriptor = calls.open(next.name().path(), OpenMode.READ_ONLY);
    slot = next;
    windowStart = 0;
    windowLength = 0;
  }

  LogDirectory.Slot slot() {
    return slot;
  }

  /** What the window shows; {@link #find} tells where. */
  byte[] bytes() {
    return bytes;
  }

  /**
   * Makes sure that a range of the slot is in the window.
   *
   * @param length at most {@link LogFormat#RECORD_BYTES_MAX}
   * @return the index in {@link #bytes} of the first byte; -1 if the range does not lie within both
   *     the slot and the file
   */
  int find(long offset, int length) {
    if (offset < windowStart || offset + length > windowStart + windowLength) {
      if (offset + length > slot.slotBytes()) {
        return -1;
      }
      read(offset);
      if (length > windowLength) {
        return -1;
      }
    }
    return (int) (offset - windowStart);
  }

  /** How many bytes the window shows from an offset within it on. */
  int remaining(long offset) {
    return (int) (windowStart + windowLength - offset);
  }

  private void read(long offset) {
    long length = Math.min(bytes.length, slot.slotBytes() - offset);
    windowStart = offset;
    windowLength = 0;
    windowLength = (int) calls.read(descriptor, buffer.asSlice(0, length), offset);
    MemorySegment.copy(buffer, ValueLayout.JAVA_BYTE, 0, bytes, 0, windowLength);
  }

  private void leave() {
    if (descriptor >= 0) {
      int open = descriptor;
      descriptor = -1;
      calls.close(open);
    }
  }

  @Override
  public void close() {
    try {
      leave();
    } finally {
      arena.close();
    }
  }
}
