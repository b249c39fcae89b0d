package dev.kvdb.nativecalls;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/**
 * Linux on x86-64 and aarch64. Not final, and its handles are reached through methods, so that a
 * test can put functions of its own behind them.
 */
class LinuxCalls extends PosixCalls {
  private static final PosixFunctions POSIX = PosixFunctions.link(Linking.cLibrary());
  private static final LinuxFunctions LINUX = LinuxFunctions.link(Linking.cLibrary());

  private static final int STATUS_FIELDS =
      LinuxConstants.STATX_TYPE
          | LinuxConstants.STATX_NLINK
          | LinuxConstants.STATX_INO
          | LinuxConstants.STATX_SIZE;

  /** Where blocks cannot be allocated, this many zeros are written at a time. */
  private static final int ZEROS_BYTES = 256 * 1024;

  LinuxCalls() {
    super(LinuxConstants.of(System.getProperty("os.arch")), getpagesize(POSIX));
  }

  @Override
  PosixFunctions posix() {
    return POSIX;
  }

  /** The handles of Linux's own functions. */
  LinuxFunctions linux() {
    return LINUX;
  }

  @Override
  public FileStatus status(int descriptor) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(LinuxConstants.STATX_BYTES, Long.BYTES);
      MemorySegment noName = NativePaths.encode("", arena);
      long result = statx(descriptor, noName, LinuxConstants.AT_EMPTY_PATH, buffer);
      if (result < 0) {
        throw failure("statx", describe(descriptor), -result);
      }
      return status(buffer, describe(descriptor));
    }
  }

  @Override
  public FileStatus status(Path path) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(LinuxConstants.STATX_BYTES, Long.BYTES);
      MemorySegment name = NativePaths.encode(path, arena);
      long result = statx(LinuxConstants.AT_FDCWD, name, 0, buffer);
      if (result == -constants().ENOENT()) {
        return null;
      }
      if (result < 0) {
        throw failure("statx", path.toString(), -result);
      }
      return status(buffer, path.toString());
    }
  }

  private long statx(int directory, MemorySegment path, int flags, MemorySegment buffer) {
    return repeat(
        errno ->
            (int)
                linux().statx().invokeExact(errno, directory, path, flags, STATUS_FIELDS, buffer));
  }

  private FileStatus status(MemorySegment statx, String subject) {
    int present = statx.get(ValueLayout.JAVA_INT, LinuxConstants.STX_MASK);
    if ((present & STATUS_FIELDS) != STATUS_FIELDS) {
      // A file system without, for example, inode numbers: files could not be told apart.
      throw failure("statx", subject, LinuxConstants.EOPNOTSUPP);
    }
    int mode = Short.toUnsignedInt(statx.get(ValueLayout.JAVA_SHORT, LinuxConstants.STX_MODE));
    return new FileStatus(
        statx.get(ValueLayout.JAVA_LONG, LinuxConstants.STX_SIZE),
        deviceNumber(
            statx.get(ValueLayout.JAVA_INT, LinuxConstants.STX_DEV_MAJOR),
            statx.get(ValueLayout.JAVA_INT, LinuxConstants.STX_DEV_MINOR)),
        statx.get(ValueLayout.JAVA_LONG, LinuxConstants.STX_INO),
        Integer.toUnsignedLong(statx.get(ValueLayout.JAVA_INT, LinuxConstants.STX_NLINK)),
        (mode & LinuxConstants.S_IFMT) == LinuxConstants.S_IFREG);
  }

  /** The two halves of a device number as stat(2) packs them, so that other programs agree. */
  private static long deviceNumber(int major, int minor) {
    return (major & 0xFFFFF000L) << 32
        | (major & 0xFFFL) << 8
        | (minor & 0xFFFFFF00L) << 12
        | (minor & 0xFFL);
  }

  @Override
  public void allocate(int descriptor, long offset, long length) {
    long result =
        repeat(
            errno -> (int) linux().fallocate().invokeExact(errno, descriptor, 0, offset, length));
    if (result == -LinuxConstants.EOPNOTSUPP || result == -LinuxConstants.ENOSYS) {
      long end = Math.addExact(offset, length);
      long beyond = Math.max(offset, status(descriptor).size());
      writeZeros(descriptor, beyond, end - beyond);
    } else if (result < 0) {
      throw failure("fallocate", describe(descriptor, offset, length), -result);
    }
  }

  private void writeZeros(int descriptor, long offset, long length) {
    if (length <= 0) {
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment zeros = arena.allocate(Math.min(length, ZEROS_BYTES));
      for (long done = 0; done < length; done += zeros.byteSize()) {
        long part = Math.min(zeros.byteSize(), length - done);
        write(descriptor, zeros.asSlice(0, part), offset + done);
      }
    }
  }

  /** Every level is the same here: fdatasync returns after the drive has emptied its cache. */
  @Override
  public boolean flush(int descriptor, FlushLevel level) {
    fdatasync(descriptor);
    return true;
  }

  final void fdatasync(int descriptor) {
    long result = repeat(errno -> (int) linux().fdatasync().invokeExact(errno, descriptor));
    if (result < 0) {
      throw failure("fdatasync", describe(descriptor), -result);
    }
  }

  @Override
  boolean populateForWriting(long address, long size) {
    long result = madvise(address, size, LinuxConstants.MADV_POPULATE_WRITE);
    if (result == -constants().EINVAL()) {
      return false;
    }
    if (result < 0) {
      throw failure(
          "madvise",
          "prefault at 0x" + Long.toHexString(address) + ", " + size + " bytes",
          -result);
    }
    return true;
  }

  /**
   * {@inheritDoc}
   *
   * <p>DONT_NEED is MADV_COLD, which keeps what private memory holds, unlike MADV_DONTNEED.
   */
  @Override
  int adviceNumber(Advice advice) {
    return switch (advice) {
      case NORMAL -> constants().MADV_NORMAL();
      case RANDOM -> constants().MADV_RANDOM();
      case SEQUENTIAL -> constants().MADV_SEQUENTIAL();
      case WILL_NEED -> constants().MADV_WILLNEED();
      case DONT_NEED -> LinuxConstants.MADV_COLD;
    };
  }
}
