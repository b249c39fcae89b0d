package dev.kvdb.log;

import dev.kvdb.nativecalls.NativeCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Writes each record with one call, from a reused native buffer. */
final class PwriteAppender implements Appender {
  /** Slices of the buffer are kept for records up to this size, so that none is made for each. */
  private static final int KEPT_SLICE_BYTES_MAX = 4096;

  private final NativeCalls calls;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment buffer;
  private final MemorySegment[] slices =
      new MemorySegment[KEPT_SLICE_BYTES_MAX / LogFormat.ALIGNMENT + 1];

  PwriteAppender(NativeCalls calls) {
    this.calls = calls;
    buffer = arena.allocate(LogFormat.RECORD_BYTES_MAX, Long.BYTES);
  }

  @Override
  public void write(SlotFile slot, long offset, byte[] bytes, int from, int length) {
    MemorySegment.copy(bytes, from, buffer, ValueLayout.JAVA_BYTE, 0, length);
    calls.write(slot.descriptor, slice(length), offset);
  }

  private MemorySegment slice(int length) {
    if (length > KEPT_SLICE_BYTES_MAX) {
      return buffer.asSlice(0, length);
    }
    MemorySegment slice = slices[length / LogFormat.ALIGNMENT];
    if (slice == null) {
      slice = buffer.asSlice(0, length);
      slices[length / LogFormat.ALIGNMENT] = slice;
    }
    return slice;
  }

  @Override
  public void close() {
    arena.close();
  }
}
