package dev.kvdb.nativecalls;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * What POSIX systems have in common. A subclass gives the numbers and the handles of its system and
 * does what each system does in its own way: status, allocation, flushing and advice.
 *
 * <p>Functions report failure by -1 and errno. Inside this class and its subclasses a call returns
 * its result, or the errno negated, as the kernel itself does; no result is negative here.
 */
abstract class PosixCalls implements NativeCalls {
  /** rw-r--r-- */
  private static final int CREATE_PERMISSIONS = 0644;

  /** No more is asked for in one call: systems differ in what they take, all take this much. */
  private static final long TRANSFER_BYTES_MAX = 1L << 30;

  private final PosixConstants constants;
  private final int pageSize;

  /**
   * @param constants the system's numbers
   * @param pageSize what {@link #systemPageSize} returns; see {@link #getpagesize}
   */
  PosixCalls(PosixConstants constants, int pageSize) {
    this.constants = constants;
    this.pageSize = pageSize;
  }

  /** The handles. An overriding method returns a {@code static final} field, for speed. */
  abstract PosixFunctions posix();

  /**
   * Brings pages in as if each had been written to.
   *
   * @return false if this system has no such call, and the pages must be touched one by one
   * @throws NativeCallException if a store into the range would fault
   */
  abstract boolean populateForWriting(long address, long size);

  /** The number of this system's for an advice to madvise. */
  abstract int adviceNumber(Advice advice);

  final PosixConstants constants() {
    return constants;
  }

  /** One call of a handle. */
  @FunctionalInterface
  interface Call {
    /**
     * @param errno the handle's first argument
     * @return what the function returned
     */
    long invoke(MemorySegment errno) throws Throwable;
  }

  /** Makes a call, again if a signal interrupts it; returns its result or the errno negated. */
  final long repeat(Call call) {
    long result;
    do {
      result = once(call);
    } while (result == -constants.EINTR());
    return result;
  }

  /** Makes a call and returns its result or the errno negated. */
  static long once(Call call) {
    ErrnoSlots.Slot slot = ErrnoSlots.claim();
    try {
      long result = call.invoke(slot.segment());
      return result == -1 ? -slot.errno() : result;
    } catch (Throwable t) {
      throw Linking.unexpected(t);
    } finally {
      slot.release();
    }
  }

  /** The exception for a call that failed. */
  final NativeCallException failure(String call, String subject, long errno) {
    int number = (int) errno;
    ErrorNames errors = constants.errors();
    return new NativeCallException(
        call, subject, number, errors.name(number), errors.description(number));
  }

  static String describe(int descriptor) {
    return "descriptor " + descriptor;
  }

  static String describe(int descriptor, long offset, long length) {
    return describe(descriptor) + ", offset " + offset + ", " + length + " bytes";
  }

  private static String describe(long address, long size) {
    return "memory at 0x" + Long.toHexString(address) + ", " + size + " bytes";
  }

  @Override
  public int open(Path path, OpenMode mode) {
    int flags =
        switch (mode) {
          case READ_ONLY -> constants.O_RDONLY();
          case READ_WRITE -> constants.O_RDWR();
          case CREATE -> constants.O_RDWR() | constants.O_CREAT();
        };
    // O_NONBLOCK means nothing for a file, but opening a pipe does not wait for its other end.
    return open(path, flags | constants.O_NONBLOCK() | constants.O_NOCTTY());
  }

  private int open(Path path, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = NativePaths.encode(path, arena);
      int allFlags = flags | constants.O_CLOEXEC();
      long result =
          repeat(
              errno -> (int) posix().open().invokeExact(errno, name, allFlags, CREATE_PERMISSIONS));
      if (result < 0) {
        throw failure("open", path.toString(), -result);
      }
      return (int) result;
    }
  }

  @Override
  public void close(int descriptor) {
    long result = once(errno -> (int) posix().close().invokeExact(errno, descriptor));
    // Interrupted or not, the descriptor is gone; to repeat could close one that another thread
    // was given in the meantime.
    if (result < 0 && result != -constants.EINTR()) {
      throw failure("close", describe(descriptor), -result);
    }
  }

  @Override
  public boolean tryLock(int descriptor, boolean exclusive) {
    int kind = exclusive ? constants.LOCK_EX() : constants.LOCK_SH();
    int operation = kind | constants.LOCK_NB();
    long result = repeat(errno -> (int) posix().flock().invokeExact(errno, descriptor, operation));
    if (result == -constants.EWOULDBLOCK()) {
      return false;
    }
    if (result < 0) {
      throw failure("flock", describe(descriptor), -result);
    }
    return true;
  }

  @Override
  public void truncate(int descriptor, long size) {
    long result = repeat(errno -> (int) posix().ftruncate().invokeExact(errno, descriptor, size));
    if (result < 0) {
      throw failure("ftruncate", describe(descriptor) + ", to " + size + " bytes", -result);
    }
  }

  @Override
  public long read(int descriptor, MemorySegment buffer, long fileOffset) {
    requireNative(buffer);
    if (buffer.isReadOnly()) {
      throw new IllegalArgumentException("cannot read a file into a read-only segment");
    }
    long size = buffer.byteSize();
    long done = 0;
    while (done < size) {
      long part = Math.min(size - done, TRANSFER_BYTES_MAX);
      MemorySegment rest = done == 0 ? buffer : buffer.asSlice(done);
      long result = pread(descriptor, rest, part, fileOffset + done);
      if (result == 0) {
        break;
      }
      if (result > 0) {
        done += result;
      } else if (result != -constants.EINTR()) {
        throw failure("pread", describe(descriptor, fileOffset + done, size - done), -result);
      }
    }
    return done;
  }

  @Override
  public void write(int descriptor, MemorySegment buffer, long fileOffset) {
    requireNative(buffer);
    long size = buffer.byteSize();
    long done = 0;
    while (done < size) {
      long part = Math.min(size - done, TRANSFER_BYTES_MAX);
      MemorySegment rest = done == 0 ? buffer : buffer.asSlice(done);
      long result = pwrite(descriptor, rest, part, fileOffset + done);
      if (result > 0) {
        done += result;
      } else if (result == 0) {
        // No system should do this to a file; to try again could go on for ever.
        throw failure(
            "pwrite", describe(descriptor, fileOffset + done, size - done), constants.EIO());
      } else if (result != -constants.EINTR()) {
        throw failure("pwrite", describe(descriptor, fileOffset + done, size - done), -result);
      }
    }
  }

  private static void requireNative(MemorySegment buffer) {
    if (!buffer.isNative()) {
      throw new IllegalArgumentException("the kernel needs a native segment, not " + buffer);
    }
  }

  // Not by way of once(): the two on the write path allocate nothing, not even when interpreted.
  private long pread(int descriptor, MemorySegment buffer, long length, long fileOffset) {
    ErrnoSlots.Slot slot = ErrnoSlots.claim();
    try {
      long result =
          (long)
              posix().pread().invokeExact(slot.segment(), descriptor, buffer, length, fileOffset);
      return result == -1 ? -slot.errno() : result;
    } catch (Throwable t) {
      throw Linking.unexpected(t);
    } finally {
      slot.release();
    }
  }

  private long pwrite(int descriptor, MemorySegment buffer, long length, long fileOffset) {
    ErrnoSlots.Slot slot = ErrnoSlots.claim();
    try {
      long result =
          (long)
              posix().pwrite().invokeExact(slot.segment(), descriptor, buffer, length, fileOffset);
      return result == -1 ? -slot.errno() : result;
    } catch (Throwable t) {
      throw Linking.unexpected(t);
    } finally {
      slot.release();
    }
  }

  /** The call of that name, at a level no subclass chooses. */
  final void fsync(int descriptor) {
    long result = repeat(errno -> (int) posix().fsync().invokeExact(errno, descriptor));
    if (result < 0) {
      throw failure("fsync", describe(descriptor), -result);
    }
  }

  @Override
  public void syncDirectory(Path directory) {
    int descriptor = open(directory, constants.O_RDONLY() | constants.O_DIRECTORY());
    long result;
    try {
      result = repeat(errno -> (int) posix().fsync().invokeExact(errno, descriptor));
    } finally {
      close(descriptor);
    }
    if (result < 0) {
      throw failure("fsync", directory.toString(), -result);
    }
  }

  @Override
  public void link(Path existing, Path newName) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment from = NativePaths.encode(existing, arena);
      MemorySegment to = NativePaths.encode(newName, arena);
      long result = repeat(errno -> (int) posix().link().invokeExact(errno, from, to));
      if (result < 0) {
        throw failure("link", existing + " to " + newName, -result);
      }
    }
  }

  @Override
  public void rename(Path from, Path to) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment source = NativePaths.encode(from, arena);
      MemorySegment target = NativePaths.encode(to, arena);
      long result = repeat(errno -> (int) posix().rename().invokeExact(errno, source, target));
      if (result < 0) {
        throw failure("rename", from + " to " + to, -result);
      }
    }
  }

  @Override
  public void unlink(Path path) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = NativePaths.encode(path, arena);
      long result = repeat(errno -> (int) posix().unlink().invokeExact(errno, name));
      if (result < 0) {
        throw failure("unlink", path.toString(), -result);
      }
    }
  }

  @Override
  public long reserve(long size) {
    int flags = constants.MAP_PRIVATE() | constants.MAP_ANONYMOUS() | constants.MAP_NORESERVE();
    return map(0, size, constants.PROT_NONE(), flags, -1, 0);
  }

  @Override
  public void mapMemory(long address, long size) {
    // No memory is promised for it either: a large and thinly used table costs what it uses.
    int flags =
        constants.MAP_FIXED()
            | constants.MAP_PRIVATE()
            | constants.MAP_ANONYMOUS()
            | constants.MAP_NORESERVE();
    map(address, size, readWrite(), flags, -1, 0);
  }

  @Override
  public void mapFile(long address, long size, int descriptor, long fileOffset) {
    int flags = constants.MAP_FIXED() | constants.MAP_SHARED();
    map(address, size, constants.PROT_READ(), flags, descriptor, fileOffset);
  }

  @Override
  public MappedFile mapShared(int descriptor, long size) {
    long address = map(0, size, readWrite(), constants.MAP_SHARED(), descriptor, 0);
    return new PosixMappedFile(this, address, size);
  }

  private int readWrite() {
    return constants.PROT_READ() | constants.PROT_WRITE();
  }

  private long map(
      long address, long size, int protection, int flags, int descriptor, long fileOffset) {
    long result =
        repeat(
            errno ->
                (long)
                    posix()
                        .mmap()
                        .invokeExact(
                            errno, address, size, protection, flags, descriptor, fileOffset));
    if (result < 0) {
      String what = descriptor < 0 ? "" : ", of " + describe(descriptor, fileOffset, size);
      throw failure("mmap", describe(address, size) + what, -result);
    }
    return result;
  }

  @Override
  public void unmap(long address, long size) {
    long result = repeat(errno -> (int) posix().munmap().invokeExact(errno, address, size));
    if (result < 0) {
      throw failure("munmap", describe(address, size), -result);
    }
  }

  @Override
  public void msync(long address, long size) {
    long start = pageStart(address);
    long length = address + size - start;
    long result =
        repeat(
            errno -> (int) posix().msync().invokeExact(errno, start, length, constants.MS_SYNC()));
    if (result < 0) {
      throw failure("msync", describe(address, size), -result);
    }
  }

  @Override
  public void advise(long address, long size, Advice advice) {
    long result = madvise(address, size, adviceNumber(advice));
    if (result < 0) {
      throw failure("madvise", describe(address, size) + ", " + advice, -result);
    }
  }

  /** Calls madvise for a range widened to whole pages; returns 0 or the errno negated. */
  final long madvise(long address, long size, int advice) {
    long start = pageStart(address);
    // The kernel itself rounds the length up.
    long length = address + size - start;
    return repeat(errno -> (int) posix().madvise().invokeExact(errno, start, length, advice));
  }

  private long pageStart(long address) {
    return address & -(long) pageSize;
  }

  @Override
  public final int systemPageSize() {
    return pageSize;
  }

  /** Asks the system for the size of its memory pages. */
  static int getpagesize(PosixFunctions functions) {
    return (int) once(errno -> (int) functions.getpagesize().invokeExact(errno));
  }
}
