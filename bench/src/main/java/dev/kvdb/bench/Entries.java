package dev.kvdb.bench;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/** The entries of every run: key {@code user%012d}, value of {@link #VALUE_BYTES} bytes. */
final class Entries {
  /** The length of a key in bytes. */
  static final int KEY_BYTES = 16;

  /** The length of a value in bytes. */
  static final int VALUE_BYTES = 100;

  static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final byte[] PREFIX = "user".getBytes(StandardCharsets.US_ASCII);
  private static final long SHUFFLE_SEED = 20_240_229;

  private Entries() {}

  /** The key of an entry in a new array. */
  static byte[] key(int index) {
    byte[] key = new byte[KEY_BYTES];
    System.arraycopy(PREFIX, 0, key, 0, PREFIX.length);
    fillKey(key, index);
    return key;
  }

  /** Changes the digits of a key. */
  static void fillKey(byte[] key, int index) {
    int rest = index;
    for (int i = KEY_BYTES - 1; i >= PREFIX.length; i--) {
      int quotient = rest / 10;
      key[i] = (byte) ('0' + rest - 10 * quotient);
      rest = quotient;
    }
  }

  /** The value of an entry in a new array; the same index gives the same bytes. */
  static byte[] value(int index) {
    byte[] value = new byte[VALUE_BYTES];
    fillValue(value, index);
    return value;
  }

  /** Writes the value of an entry. */
  static void fillValue(byte[] value, int index) {
    long seed = (index + 1) * 0x9E3779B97F4A7C15L;
    int i = 0;
    for (; i + Long.BYTES <= value.length; i += Long.BYTES) {
      seed += 0x9E3779B97F4A7C15L;
      LONG.set(value, i, seed ^ seed >>> 29);
    }
    for (; i < value.length; i++) {
      value[i] = (byte) (index + i);
    }
  }

  /** All indexes in an order that is always the same. */
  static int[] shuffled(int count, long variant) {
    int[] order = ascending(count);
    Random random = new Random(SHUFFLE_SEED + variant);
    for (int i = count - 1; i > 0; i--) {
      int j = random.nextInt(i + 1);
      int swapped = order[i];
      order[i] = order[j];
      order[j] = swapped;
    }
    return order;
  }

  /** All indexes, ascending. */
  static int[] ascending(int count) {
    int[] order = new int[count];
    for (int i = 0; i < count; i++) {
      order[i] = i;
    }
    return order;
  }
}
