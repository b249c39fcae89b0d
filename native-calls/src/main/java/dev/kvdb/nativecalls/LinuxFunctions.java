package dev.kvdb.nativecalls;

import static dev.kvdb.nativecalls.Linking.INT;
import static dev.kvdb.nativecalls.Linking.LONG;
import static dev.kvdb.nativecalls.Linking.POINTER;

import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.List;

/**
 * Handles of functions that only Linux has, or that serve only there. See {@link PosixFunctions}.
 *
 * @param fallocate {@code int fallocate(int fd, int mode, off_t offset, off_t len)}
 * @param fdatasync {@code int fdatasync(int fd)}
 * @param statx {@code int statx(int dirfd, const char *path, int flags, unsigned mask, struct statx
 *     *buf)}
 */
record LinuxFunctions(MethodHandle fallocate, MethodHandle fdatasync, MethodHandle statx) {

  /** The functions that {@link #link} looks for. */
  static final List<String> NAMES = List.of("fallocate", "fdatasync", "statx");

  /**
   * Binds them all.
   *
   * @throws UnsupportedOperationException if one of {@link #NAMES} is missing
   */
  static LinuxFunctions link(SymbolLookup lookup) {
    return new LinuxFunctions(
        Linking.function(lookup, "fallocate", INT, INT, INT, LONG, LONG),
        Linking.function(lookup, "fdatasync", INT, INT),
        Linking.function(lookup, "statx", INT, INT, POINTER, INT, INT, POINTER));
  }
}
