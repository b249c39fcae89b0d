package dev.kvdb.nativecalls;

import static dev.kvdb.nativecalls.Linking.INT;
import static dev.kvdb.nativecalls.Linking.LONG;
import static dev.kvdb.nativecalls.Linking.POINTER;

import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.List;

/**
 * Handles of the functions that have the same name and type on every 64-bit POSIX system kvdb is
 * meant for. A record, so that the JIT takes the handles in a {@code static final} one for
 * constants. Addresses are passed as plain numbers, buffers and paths as segments, whose arena then
 * cannot be closed while the call runs.
 *
 * @param open {@code int open(const char *path, int flags, ...)}
 * @param close {@code int close(int fd)}
 * @param flock {@code int flock(int fd, int operation)}
 * @param ftruncate {@code int ftruncate(int fd, off_t length)}
 * @param pread {@code ssize_t pread(int fd, void *buf, size_t count, off_t offset)}
 * @param pwrite {@code ssize_t pwrite(int fd, const void *buf, size_t count, off_t offset)}
 * @param fsync {@code int fsync(int fd)}
 * @param link {@code int link(const char *path1, const char *path2)}
 * @param rename {@code int rename(const char *from, const char *to)}
 * @param unlink {@code int unlink(const char *path)}
 * @param mmap {@code void *mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)}
 * @param munmap {@code int munmap(void *addr, size_t len)}
 * @param msync {@code int msync(void *addr, size_t len, int flags)}
 * @param madvise {@code int madvise(void *addr, size_t len, int advice)}
 * @param getpagesize {@code int getpagesize(void)}
 */
record PosixFunctions(
    MethodHandle open,
    MethodHandle close,
    MethodHandle flock,
    MethodHandle ftruncate,
    MethodHandle pread,
    MethodHandle pwrite,
    MethodHandle fsync,
    MethodHandle link,
    MethodHandle rename,
    MethodHandle unlink,
    MethodHandle mmap,
    MethodHandle munmap,
    MethodHandle msync,
    MethodHandle madvise,
    MethodHandle getpagesize) {

  /** The functions that {@link #link} looks for. */
  static final List<String> NAMES =
      List.of(
          "open",
          "close",
          "flock",
          "ftruncate",
          "pread",
          "pwrite",
          "fsync",
          "link",
          "rename",
          "unlink",
          "mmap",
          "munmap",
          "msync",
          "madvise",
          "getpagesize");

  /**
   * Binds them all.
   *
   * @throws UnsupportedOperationException if one of {@link #NAMES} is missing
   */
  static PosixFunctions link(SymbolLookup lookup) {
    return new PosixFunctions(
        Linking.variadic(lookup, "open", 2, INT, POINTER, INT, INT),
        Linking.function(lookup, "close", INT, INT),
        Linking.function(lookup, "flock", INT, INT, INT),
        Linking.function(lookup, "ftruncate", INT, INT, LONG),
        Linking.function(lookup, "pread", LONG, INT, POINTER, LONG, LONG),
        Linking.function(lookup, "pwrite", LONG, INT, POINTER, LONG, LONG),
        Linking.function(lookup, "fsync", INT, INT),
        Linking.function(lookup, "link", INT, POINTER, POINTER),
        Linking.function(lookup, "rename", INT, POINTER, POINTER),
        Linking.function(lookup, "unlink", INT, POINTER),
        Linking.function(lookup, "mmap", LONG, LONG, LONG, INT, INT, INT, LONG),
        Linking.function(lookup, "munmap", INT, LONG, LONG),
        Linking.function(lookup, "msync", INT, LONG, LONG, INT),
        Linking.function(lookup, "madvise", INT, LONG, LONG, INT),
        Linking.function(lookup, "getpagesize", INT));
  }
}
