package dev.kvdb.nativecalls;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Objects;

/**
 * A file mapped shared. Its arena makes a store after {@link #close} an {@link
 * IllegalStateException} instead of a crash, and makes close wait for a store under way.
 */
final class PosixMappedFile implements NativeCalls.MappedFile {
  private static final VarHandle WORD = ValueLayout.JAVA_INT.varHandle();

  /** Volatile, so that the loop in {@link #poll} keeps its back-edge and the poll in it. */
  private static volatile int pollLimit = 2;

  private final PosixCalls calls;
  private final Arena arena;
  private final MemorySegment wholePages;
  private final MemorySegment contents;

  /**
   * @param address where the file was mapped, at the start of a page
   * @param size bytes of the file that were mapped
   */
  PosixMappedFile(PosixCalls calls, long address, long size) {
    this.calls = calls;
    this.arena = Arena.ofShared();
    long pageSize = calls.systemPageSize();
    this.wholePages =
        MemorySegment.ofAddress(address)
            .reinterpret((size + pageSize - 1) / pageSize * pageSize, arena, null);
    this.contents = wholePages.asSlice(0, size);
  }

  @Override
  public void store(long offset, byte[] source, int sourceOffset, int length) {
    MemorySegment.copy(source, sourceOffset, contents, ValueLayout.JAVA_BYTE, offset, length);
  }

  @Override
  public void prefault(long offset, long length) {
    Objects.checkFromIndexSize(offset, length, contents.byteSize());
    if (length > 0 && !calls.populateForWriting(contents.address() + offset, length)) {
      touch(offset, length);
    }
  }

  /** Writes to each page of a range what it holds, in one indivisible step. */
  void touch(long offset, long length) {
    int pageSize = calls.systemPageSize();
    try {
      for (long page = offset / pageSize; page <= (offset + length - 1) / pageSize; page++) {
        WORD.getAndBitwiseOr(wholePages, page * pageSize, 0);
      }
      poll();
    } catch (InternalError fault) {
      NativeCallException failure =
          calls.failure("mmap", range(offset, length), calls.constants().EFAULT());
      failure.initCause(fault);
      throw failure;
    }
  }

  /** Lets a fault that compiled code met be thrown here, inside the try block around the access. */
  private static void poll() {
    int i = 0;
    do {
      i++;
    } while (i < pollLimit);
  }

  @Override
  public void sync(long offset, long length) {
    Objects.checkFromIndexSize(offset, length, contents.byteSize());
    calls.msync(contents.address() + offset, length);
  }

  @Override
  public void close() {
    long address = contents.address();
    arena.close();
    calls.unmap(address, wholePages.byteSize());
  }

  private static String range(long offset, long length) {
    return "mapped file, offset " + offset + ", " + length + " bytes";
  }
}
