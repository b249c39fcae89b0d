package dev.kvdb.nativecalls;

/** Chooses the implementation for this system, once. */
final class SystemCalls {
  private SystemCalls() {}

  static NativeCalls instance() {
    throw new UnsupportedOperationException("no implementation yet");
  }
}
