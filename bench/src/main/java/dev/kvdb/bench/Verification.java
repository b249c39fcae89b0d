package dev.kvdb.bench;

import java.util.Arrays;

/** Compares what a peer holds with what was put. A difference ends the run. */
final class Verification {
  private Verification() {}

  static void requireEntry(int index, byte[] key, byte[] value) {
    if (!Arrays.equals(key, Entries.key(index)) || !Arrays.equals(value, Entries.value(index))) {
      throw new IllegalStateException("entry " + index + " is not what was put");
    }
  }

  static void requireCount(long expected, long found) {
    if (expected != found) {
      throw new IllegalStateException(found + " entries instead of " + expected);
    }
  }
}
