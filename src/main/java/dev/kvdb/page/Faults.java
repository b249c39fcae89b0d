package dev.kvdb.page;

/**
 * Makes a fault on mapped memory arrive where it can be caught.
 *
 * <p>When a mapped file was cut short, or its blocks cannot be read, compiled code learns of it at
 * the next safepoint poll, which may lie behind the try block around the access. So every stretch
 * of access to mapped memory ends, inside its try block, with {@link #poll()}, before a value is
 * used, handed out or acknowledged (I-20).
 */
public final class Faults {
  /** Volatile, so that the loop below cannot be unrolled away and its back-edge keeps its poll. */
  private static volatile int limit = 2;

  private Faults() {}

  /** Passes one safepoint poll: a pending fault is thrown here as {@link InternalError}. */
  public static void poll() {
    int i = 0;
    do {
      i++;
    } while (i < limit);
  }
}
