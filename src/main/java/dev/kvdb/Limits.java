package dev.kvdb;

import dev.kvdb.page.PageFormat;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * The sizes that keys, values and names may have, and the checks of arguments against them. An
 * argument that breaks one is refused with {@link IllegalArgumentException} before anything
 * changes.
 */
public final class Limits {
  /** The longest key (and the longest bound of a range), in bytes. */
  public static final int KEY_BYTES_MAX = PageFormat.KEY_BYTES_MAX;

  /** The longest value, in bytes. */
  public static final int VALUE_BYTES_MAX = PageFormat.VALUE_BYTES_MAX;

  /** The longest name of a table, in bytes of UTF-8. */
  public static final int TABLE_NAME_BYTES_MAX = 255;

  private Limits() {}

  /** Returns the key; refuses null and keys above {@link #KEY_BYTES_MAX}. */
  static byte[] checkKey(byte[] key) {
    return checkLength("key", key, KEY_BYTES_MAX);
  }

  /** Returns the bound; refuses null and bounds above {@link #KEY_BYTES_MAX}. */
  static byte[] checkBound(byte[] bound) {
    return checkLength("bound", bound, KEY_BYTES_MAX);
  }

  /** Returns the value; refuses null and values above {@link #VALUE_BYTES_MAX}. */
  static byte[] checkValue(byte[] value) {
    return checkLength("value", value, VALUE_BYTES_MAX);
  }

  /** Returns the name; refuses null, the empty name and names above the limit. */
  static String checkTableName(String name) {
    if (name == null) {
      throw new IllegalArgumentException("the table name is null");
    }
    int length = name.getBytes(StandardCharsets.UTF_8).length;
    if (length == 0 || length > TABLE_NAME_BYTES_MAX) {
      throw new IllegalArgumentException(
          "a table name has 1 to " + TABLE_NAME_BYTES_MAX + " bytes of UTF-8, not " + length);
    }
    return name;
  }

  /** Returns the argument; refuses null. */
  static <T> T checkNotNull(String what, T argument) {
    if (argument == null) {
      throw new IllegalArgumentException("the " + what + " is null");
    }
    return argument;
  }

  /** Whether the first key comes before the second in the order of keys. */
  static boolean isBelow(byte[] first, byte[] second) {
    return Arrays.compareUnsigned(first, second) < 0;
  }

  private static byte[] checkLength(String what, byte[] bytes, int limit) {
    if (bytes == null) {
      throw new IllegalArgumentException("the " + what + " is null");
    }
    if (bytes.length > limit) {
      throw new IllegalArgumentException(tooLong(what, bytes.length, limit));
    }
    return bytes;
  }

  private static String tooLong(String what, int length, int limit) {
    return String.format(
        Locale.ROOT, "the %s is %,d bytes long, the limit is %,d", what, length, limit);
  }
}
