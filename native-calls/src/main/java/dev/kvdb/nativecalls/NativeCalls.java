package dev.kvdb.nativecalls;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * Every call kvdb makes to an operating system, and nothing else.
 *
 * <p>The engine reaches files and address space through this interface alone, so a test can stand a
 * disk behind it that loses, reorders, tears or refuses whatever it likes. Descriptors and
 * addresses are plain numbers: nothing here guards against a use after {@link #close(int)} or
 * {@link #unmap(long, long)}; the callers do.
 *
 * <p>A call that fails throws {@link NativeCallException} with the call, the path or descriptor,
 * the errno and its name. A call interrupted by a signal (EINTR) is repeated. No call is affected
 * by {@link Thread#interrupt()}. All methods may be used by many threads at once.
 */
public interface NativeCalls {

  /**
   * The implementation for the system this JVM runs on.
   *
   * @return the one shared instance
   * @throws UnsupportedOperationException if this operating system or architecture is not
   *     supported, or native access is denied to this module; the message says what to do
   */
  static NativeCalls system() {
    return SystemCalls.instance();
  }

  /** How {@link #open} opens a file; close-on-exec is always set, nothing is ever truncated. */
  enum OpenMode {
    /** An existing file (or directory), for reading only. */
    READ_ONLY,
    /** An existing file, for reading and writing. */
    READ_WRITE,
    /** For reading and writing; created with mode 0644, empty, if it is missing. */
    CREATE
  }

  /** How strong a flush is asked for; weaker to stronger. */
  enum FlushLevel {
    /** What a crash of the operating system must not take. */
    FSYNC,
    /** As FSYNC, and the drive does not reorder it behind later writes. */
    BARRIER,
    /** What a power cut must not take. */
    FULL
  }

  /** What the kernel is told about the expected use of a range of mapped memory. */
  enum Advice {
    NORMAL,
    RANDOM,
    SEQUENTIAL,
    WILL_NEED,
    DONT_NEED
  }

  /**
   * What the file system knows about a file.
   *
   * @param size its length in bytes
   * @param device the number of the device it lives on
   * @param inode its inode number on that device
   * @param linkCount how many names it has
   * @param isRegularFile false for a directory, a device, a pipe or a socket
   */
  record FileStatus(long size, long device, long inode, long linkCount, boolean isRegularFile) {
    /** Whether both describe the same file, whatever its names. */
    public boolean isSameFile(FileStatus other) {
      return device == other.device && inode == other.inode;
    }
  }

  /**
   * A file mapped shared and writable, for a log that is appended to by storing.
   *
   * <p>A store may fault when the file was cut short or its blocks cannot be had. In compiled code
   * the JVM reports that at the next safepoint poll, so the caller ends each group of stores with
   * one before it trusts them.
   */
  interface MappedFile {
    /**
     * Copies bytes into the mapping. Once this has returned they survive the death of the process.
     *
     * @param offset where in the file, in bytes from its start
     * @param source the bytes
     * @param sourceOffset index of the first byte in {@code source}
     * @param length how many bytes
     * @throws IndexOutOfBoundsException if the range lies outside the mapping or the array
     */
    void store(long offset, byte[] source, int sourceOffset, int length);

    /**
     * Touches every page of a range for writing without changing it, so that later stores neither
     * wait nor fault, unless the file is cut short.
     *
     * @throws NativeCallException with EFAULT if a page cannot be had
     * @throws IndexOutOfBoundsException if the range lies outside the mapping
     */
    void prefault(long offset, long length);

    /**
     * Hands the bytes of a range to the drive (msync with MS_SYNC); see {@link NativeCalls#msync}.
     */
    void sync(long offset, long length);

    /** Unmaps the file. No store may be under way or follow. */
    void close();
  }

  /**
   * Opens a file with close-on-exec set.
   *
   * @return a descriptor, 0 or more
   */
  int open(Path path, OpenMode mode);

  /** Closes a descriptor. It is gone even if this throws. */
  void close(int descriptor);

  /**
   * Takes a whole-file lock (flock) without waiting; it belongs to the open file description and
   * dies with the process. Asking again on the same descriptor converts the lock; where that is
   * refused, the lock held before may be gone too.
   *
   * @return false if another open of the file holds a lock that excludes this one
   */
  boolean tryLock(int descriptor, boolean exclusive);

  /** What the file behind a descriptor is. */
  FileStatus status(int descriptor);

  /**
   * What a name leads to, symbolic links followed.
   *
   * @return null if there is no such name (ENOENT), or a symbolic link in it leads nowhere
   */
  FileStatus status(Path path);

  /** Sets the length of a file. Growing it this way leaves a hole; see {@link #allocate}. */
  void truncate(int descriptor, long size);

  /**
   * Makes sure that blocks are really there for a range, and that the file is at least as long as
   * its end. New bytes read as zero, bytes already there stay as they are. Where the file system
   * cannot allocate (EOPNOTSUPP), zeros are written to the part beyond the present end instead, so
   * nobody else may be writing there meanwhile.
   *
   * @throws NativeCallException with ENOSPC or EDQUOT if there is no room; the file's length may
   *     then lie anywhere between the old and the new one
   */
  void allocate(int descriptor, long offset, long length);

  /**
   * Reads into the whole of a native buffer from a place in the file (pread, repeated until full).
   *
   * @return how many bytes were read: fewer than the buffer holds only at the end of the file
   */
  long read(int descriptor, MemorySegment buffer, long fileOffset);

  /** Writes the whole of a native buffer to a place in the file (pwrite, repeated until done). */
  void write(int descriptor, MemorySegment buffer, long fileOffset);

  /**
   * Flushes a file's data, and what of its metadata is needed to find it again, at a level.
   *
   * @return whether what was flushed survives a power cut (the drive's cache was emptied or passed)
   */
  boolean flush(int descriptor, FlushLevel level);

  /** Makes the names in a directory durable. */
  void syncDirectory(Path directory);

  /**
   * Gives a file a second name.
   *
   * @throws NativeCallException with EEXIST if the new name is taken
   */
  void link(Path existing, Path newName);

  /** Renames a file, replacing what has the new name. */
  void rename(Path from, Path to);

  /** Removes a name. */
  void unlink(Path path);

  /** The size of the system's memory pages in bytes: 4,096, or 16,384 on Apple silicon. */
  int systemPageSize();

  /**
   * Reserves address space that nothing may touch yet.
   *
   * @param size bytes, a multiple of the system's page size
   * @return its address
   */
  long reserve(long size);

  /** Maps zeroed private memory, readable and writable, over a part of a reservation. */
  void mapMemory(long address, long size);

  /**
   * Maps a file for reading (shared) over a part of a reservation. The range may reach beyond the
   * end of the file; pages appear in it as the file grows.
   */
  void mapFile(long address, long size, int descriptor, long fileOffset);

  /** Gives address space back. */
  void unmap(long address, long size);

  /** Maps the first {@code size} bytes of a file shared, for storing into it. */
  MappedFile mapShared(int descriptor, long size);

  /**
   * Flushes a mapped range to the file (msync with MS_SYNC); the range is widened to whole pages.
   */
  void msync(long address, long size);

  /**
   * Tells the kernel how a mapped range will be used; the range is widened to whole pages. No
   * advice changes what the memory holds.
   */
  void advise(long address, long size, Advice advice);
}
