package dev.kvdb.engine;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Random;
import java.util.TreeMap;

/** Random keys and values of the awkward kinds, and the model's order. */
final class Keys {
  static final Comparator<byte[]> ORDER = Arrays::compareUnsigned;

  private Keys() {}

  static TreeMap<byte[], byte[]> model() {
    return new TreeMap<>(ORDER);
  }

  /**
   * Long shared prefixes, zeros and 0xFF, the empty key, now and then a key of the longest kind.
   */
  static byte[] key(Random random, int spread) {
    int number = random.nextInt(spread);
    return switch (number % 7) {
      case 0 -> ("user" + String.format("%09d", number)).getBytes();
      case 1 -> new byte[] {(byte) (number >>> 8), (byte) number};
      case 2 -> pad(number, 40, (byte) 0xFF);
      case 3 -> pad(number, 12, (byte) 0);
      case 4 -> number % 1001 == 4 ? pad(number, 996, (byte) 'x') : ("k" + number).getBytes();
      case 5 -> number < 12 ? new byte[0] : Integer.toString(number, 36).getBytes();
      default -> ("a/very/long/common/prefix/that/all/of/these/share/" + number).getBytes();
    };
  }

  private static byte[] pad(int number, int length, byte filler) {
    byte[] key = new byte[length + 4];
    Arrays.fill(key, filler);
    key[length] = (byte) (number >>> 24);
    key[length + 1] = (byte) (number >>> 16);
    key[length + 2] = (byte) (number >>> 8);
    key[length + 3] = (byte) number;
    return key;
  }

  static byte[] value(Random random) {
    int length =
        switch (random.nextInt(10)) {
          case 0 -> 0;
          case 1 -> 1024;
          case 2 -> random.nextInt(1025);
          default -> random.nextInt(120);
        };
    byte[] value = new byte[length];
    random.nextBytes(value);
    return value;
  }
}
