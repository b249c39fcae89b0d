package dev.kvdb.cli;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How keys and values are written as text on the command line and in files. */
enum Encoding {
  /** See {@link TextForm}. */
  TEXT {
    @Override
    byte[] parse(String text) {
      return TextForm.parse(text);
    }

    @Override
    String format(byte[] bytes) {
      return TextForm.format(bytes);
    }
  },

  /** Two hexadecimal digits a byte. */
  HEX {
    @Override
    byte[] parse(String text) {
      try {
        return HexFormat.of().parseHex(text);
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException("not an even number of hexadecimal digits", e);
      }
    }

    @Override
    String format(byte[] bytes) {
      return HexFormat.of().formatHex(bytes);
    }
  },

  /** The basic alphabet with padding. */
  BASE64 {
    @Override
    byte[] parse(String text) {
      try {
        return Base64.getDecoder().decode(text);
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException("not base64: " + e.getMessage(), e);
      }
    }

    @Override
    String format(byte[] bytes) {
      return Base64.getEncoder().encodeToString(bytes);
    }
  },

  /**
   * A signed decimal number, stored in eight bytes, big-endian with the sign bit flipped, so that
   * the order of keys is that of the numbers.
   */
  INT64 {
    @Override
    byte[] parse(String text) {
      try {
        return ByteBuffer.allocate(Long.BYTES)
            .putLong(Long.parseLong(text) ^ Long.MIN_VALUE)
            .array();
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException(
            "not a whole number from " + Long.MIN_VALUE + " to " + Long.MAX_VALUE, e);
      }
    }

    @Override
    String format(byte[] bytes) {
      if (bytes.length != Long.BYTES) {
        throw new IllegalArgumentException(
            "the key \""
                + TextForm.format(bytes)
                + "\" is "
                + bytes.length
                + " bytes long, an int64 has 8 (use --keys text)");
      }
      return Long.toString(ByteBuffer.wrap(bytes).getLong() ^ Long.MIN_VALUE);
    }
  };

  /**
   * The bytes that a text stands for.
   *
   * @throws IllegalArgumentException if it is none of this encoding; the message says why
   */
  abstract byte[] parse(String text);

  /**
   * The text that stands for some bytes; holds no tab and no newline.
   *
   * @throws IllegalArgumentException if this encoding has none for them
   */
  abstract String format(byte[] bytes);

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** For {@code --keys}. */
  static final class KeyConverter implements ITypeConverter<Encoding> {
    @Override
    public Encoding convert(String name) {
      for (Encoding encoding : values()) {
        if (encoding.toString().equals(name)) {
          return encoding;
        }
      }
      throw new TypeConversionException("'" + name + "' is none of text, hex, base64, int64");
    }
  }

  /** For {@code --values}. */
  static final class ValueConverter implements ITypeConverter<Encoding> {
    @Override
    public Encoding convert(String name) {
      for (Encoding encoding : values()) {
        if (encoding != INT64 && encoding.toString().equals(name)) {
          return encoding;
        }
      }
      throw new TypeConversionException("'" + name + "' is none of text, hex, base64");
    }
  }
}
