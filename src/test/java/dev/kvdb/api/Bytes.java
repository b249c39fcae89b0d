package dev.kvdb.api;

import java.nio.charset.StandardCharsets;

/** Shorter ways to write keys and values. */
final class Bytes {
  private Bytes() {}

  /** The UTF-8 of a text. */
  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** The text of some UTF-8. */
  static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
