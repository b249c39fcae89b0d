package dev.kvdb.nativecalls;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Segments for captured errnos, each used by one call at a time.
 *
 * <p>A call claims a slot before it enters the kernel and releases it once it has read the errno,
 * so no two threads ever share one. There are no thread-locals: they would cost memory for every
 * virtual thread. Threads begin their search at different slots; if all are taken, because many
 * calls wait in the kernel, a slot for that one call is made.
 */
final class ErrnoSlots {
  /** Slots that are there all the time; a power of two. */
  static final int KEPT = 64;

  /** Slots of different threads lie on different cache lines. */
  private static final long SPACING_BYTES = 128;

  private static final Slot[] SLOTS = new Slot[KEPT];

  static {
    MemorySegment all = Arena.global().allocate(KEPT * SPACING_BYTES, SPACING_BYTES);
    for (int i = 0; i < KEPT; i++) {
      SLOTS[i] = new Slot(all.asSlice(i * SPACING_BYTES, Linking.ERRNO_LAYOUT));
    }
  }

  private ErrnoSlots() {}

  /** One segment, and whether a call has it now. */
  static final class Slot extends AtomicBoolean {
    private static final long serialVersionUID = 1L;

    private final transient MemorySegment segment;

    private Slot(MemorySegment segment) {
      this.segment = segment;
    }

    /** Where the linker is to put the errno. */
    MemorySegment segment() {
      return segment;
    }

    /** The errno of the call that used this slot last. */
    int errno() {
      return Linking.errno(segment);
    }

    /** Lets others have the slot. To be called exactly once for each {@link #claim}. */
    void release() {
      setRelease(false);
    }
  }

  /** A slot that is the caller's alone until it calls {@link Slot#release}. */
  static Slot claim() {
    int first = (int) (Thread.currentThread().threadId() * 0x9E3779B97F4A7C15L >>> 58);
    for (int i = 0; i < KEPT; i++) {
      Slot slot = SLOTS[(first + i) & (KEPT - 1)];
      if (!slot.getPlain() && slot.compareAndSet(false, true)) {
        return slot;
      }
    }
    Slot extra = new Slot(Arena.ofAuto().allocate(Linking.ERRNO_LAYOUT));
    extra.setPlain(true);
    return extra;
  }
}
