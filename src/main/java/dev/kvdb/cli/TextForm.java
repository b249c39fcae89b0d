package dev.kvdb.cli;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * The text form of arbitrary bytes: printable UTF-8 stands for itself, a backslash is {@code \\},
 * tab, newline and carriage return are {@code \t}, {@code \n} and {@code \r}, every other byte is
 * {@code \xHH}. What {@link #format} writes, {@link #parse} reads back to the same bytes.
 */
final class TextForm {
  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  private TextForm() {}

  /** The text form of some bytes. */
  static String format(byte[] bytes) {
    if (isPlain(bytes)) {
      return new String(bytes, StandardCharsets.ISO_8859_1);
    }
    StringBuilder text = new StringBuilder(bytes.length + 16);
    int position = 0;
    while (position < bytes.length) {
      int codePoint = codePointAt(bytes, position);
      if (codePoint < 0) {
        appendHex(text, bytes[position]);
        position++;
        continue;
      }
      int length = encodedLength(codePoint);
      if (isPrintable(codePoint)) {
        text.appendCodePoint(codePoint);
      } else {
        for (int i = position; i < position + length; i++) {
          appendEscape(text, bytes[i]);
        }
      }
      position += length;
    }
    return text.toString();
  }

  /**
   * The bytes of a text form. Characters that {@link #format} would escape may also stand for
   * themselves.
   *
   * @throws IllegalArgumentException if a backslash begins no escape, or a surrogate stands alone;
   *     the message names the place
   */
  static byte[] parse(String text) {
    if (text.indexOf('\\') < 0) {
      return utf8(text);
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
    int position = 0;
    while (position < text.length()) {
      int backslash = text.indexOf('\\', position);
      int end = backslash < 0 ? text.length() : backslash;
      bytes.writeBytes(utf8(text.substring(position, end)));
      position = end;
      if (backslash >= 0) {
        position += parseEscape(text, backslash, bytes);
      }
    }
    return bytes.toByteArray();
  }

  /**
   * The UTF-8 of some characters.
   *
   * @throws IllegalArgumentException if a surrogate stands alone
   */
  static byte[] utf8(String text) {
    checkSurrogates(text);
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Whether bytes are valid UTF-8. */
  static boolean isUtf8(byte[] bytes) {
    int position = 0;
    while (position < bytes.length) {
      int codePoint = codePointAt(bytes, position);
      if (codePoint < 0) {
        return false;
      }
      position += encodedLength(codePoint);
    }
    return true;
  }

  /** Reads the escape at a backslash; returns how many characters it has. */
  private static int parseEscape(String text, int backslash, ByteArrayOutputStream bytes) {
    char kind = backslash + 1 < text.length() ? text.charAt(backslash + 1) : ' ';
    switch (kind) {
      case '\\' -> bytes.write('\\');
      case 't' -> bytes.write('\t');
      case 'n' -> bytes.write('\n');
      case 'r' -> bytes.write('\r');
      case 'x' -> {
        if (backslash + 4 > text.length()
            || !HexFormat.isHexDigit(text.charAt(backslash + 2))
            || !HexFormat.isHexDigit(text.charAt(backslash + 3))) {
          throw badEscape(backslash, "\\x needs two hexadecimal digits");
        }
        bytes.write(HexFormat.fromHexDigits(text, backslash + 2, backslash + 4));
        return 4;
      }
      default -> throw badEscape(backslash, "a backslash itself is written \\\\");
    }
    return 2;
  }

  private static IllegalArgumentException badEscape(int backslash, String hint) {
    return new IllegalArgumentException(
        "no escape that is known at character " + (backslash + 1) + " (" + hint + ")");
  }

  private static void checkSurrogates(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!Character.isSurrogate(c)) {
        continue;
      }
      if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        i++;
      } else {
        throw new IllegalArgumentException("a lone surrogate is no character");
      }
    }
  }

  /** Whether the bytes are their own text form. */
  private static boolean isPlain(byte[] bytes) {
    for (byte b : bytes) {
      if (b < ' ' || b > '~' || b == '\\') {
        return false;
      }
    }
    return true;
  }

  /** Whether a character shows on a line without a doubt; the backslash is an escape's. */
  private static boolean isPrintable(int codePoint) {
    if (codePoint == '\\') {
      return false;
    }
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      case Character.SPACE_SEPARATOR -> codePoint == ' ';
      default -> true;
    };
  }

  private static void appendEscape(StringBuilder text, byte b) {
    switch (b) {
      case '\\' -> text.append("\\\\");
      case '\t' -> text.append("\\t");
      case '\n' -> text.append("\\n");
      case '\r' -> text.append("\\r");
      default -> appendHex(text, b);
    }
  }

  private static void appendHex(StringBuilder text, byte b) {
    text.append("\\x");
    HEX.toHexDigits(text, b);
  }

  /** The character whose valid, shortest UTF-8 form begins at a place; -1 if none does. */
  static int codePointAt(byte[] bytes, int position) {
    int first = bytes[position] & 0xFF;
    if (first < 0x80) {
      return first;
    }
    int following = first >= 0xF0 && first < 0xF8 ? 3 : first >= 0xE0 ? 2 : 1;
    if (first < 0xC2 || first >= 0xF8 || position + following >= bytes.length) {
      return -1;
    }
    int codePoint = first & (0x3F >> following);
    for (int i = 1; i <= following; i++) {
      int next = bytes[position + i] & 0xFF;
      if ((next & 0xC0) != 0x80) {
        return -1;
      }
      codePoint = codePoint << 6 | next & 0x3F;
    }
    boolean isValid =
        encodedLength(codePoint) == following + 1
            && codePoint <= Character.MAX_CODE_POINT
            && !(codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE);
    return isValid ? codePoint : -1;
  }

  private static int encodedLength(int codePoint) {
    if (codePoint < 0x80) {
      return 1;
    }
    if (codePoint < 0x800) {
      return 2;
    }
    return codePoint < 0x10000 ? 3 : 4;
  }
}
