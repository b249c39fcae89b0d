package dev.kvdb.tree;

import dev.kvdb.page.PageFormat;
import java.util.Arrays;
import java.util.Random;

/**
 * Makes keys and values that are hard on a tree: shared prefixes, equal heads, keys that continue
 * each other, 0x00 and 0xFF bytes, the empty key, every length up to the longest.
 */
final class KeyMaker {
  private static final byte[] HARD_BYTES = {0, 0, 1, 'a', (byte) 0x7F, (byte) 0x80, -1, -1};

  private final Random random;
  private final byte[][] prefixes;
  private final int lengthMax;

  /** Keys of up to a length. */
  KeyMaker(Random random, int lengthMax) {
    this.random = random;
    this.lengthMax = lengthMax;
    this.prefixes = new byte[4][];
    for (int i = 0; i < prefixes.length; i++) {
      prefixes[i] = new byte[random.nextInt(lengthMax + 1)];
      Arrays.fill(prefixes[i], HARD_BYTES[random.nextInt(HARD_BYTES.length)]);
      if (i > 0) {
        // Prefixes that themselves share a part, and differ somewhere behind it.
        int shared = Math.min(prefixes[i].length, prefixes[i - 1].length) * 3 / 4;
        System.arraycopy(prefixes[i - 1], 0, prefixes[i], 0, shared);
      }
    }
  }

  byte[] key() {
    switch (random.nextInt(8)) {
      case 0:
        return hard(random.nextInt(4));
      case 1:
        return hard(random.nextInt(lengthMax + 1));
      case 2:
        return number(random.nextInt(2000));
      case 3, 4:
        return append(prefixes[random.nextInt(prefixes.length)], number(random.nextInt(300)));
      case 5:
        return append(prefixes[random.nextInt(prefixes.length)], hard(random.nextInt(7)));
      case 6:
        byte[] prefix = prefixes[random.nextInt(prefixes.length)];
        return Arrays.copyOf(prefix, random.nextInt(prefix.length + 1));
      default:
        byte[] longest = append(prefixes[random.nextInt(prefixes.length)], number(7));
        byte[] key = Arrays.copyOf(longest, lengthMax);
        if (lengthMax > 0) {
          key[random.nextInt(lengthMax)] ^= (byte) (1 << random.nextInt(8));
        }
        return key;
    }
  }

  private byte[] hard(int length) {
    byte[] bytes = new byte[Math.min(length, lengthMax)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = HARD_BYTES[random.nextInt(HARD_BYTES.length)];
    }
    return bytes;
  }

  private byte[] append(byte[] a, byte[] b) {
    byte[] joined = Arrays.copyOf(a, Math.min(lengthMax, a.length + b.length));
    int room = Math.min(b.length, joined.length - Math.min(a.length, joined.length));
    System.arraycopy(b, 0, joined, joined.length - room, room);
    return joined;
  }

  /** A number of four digits. */
  static byte[] number(int value) {
    return String.format("%04d", value).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
  }

  byte[] value() {
    int length =
        switch (random.nextInt(6)) {
          case 0 -> 0;
          case 1 -> random.nextInt(PageFormat.VALUE_BYTES_MAX + 1);
          case 2 -> PageFormat.VALUE_BYTES_MAX - random.nextInt(3);
          default -> random.nextInt(40);
        };
    byte[] value = new byte[length];
    random.nextBytes(value);
    return value;
  }
}
