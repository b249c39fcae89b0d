package dev.kvdb.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The format {@code jsonl}: one object a line, {@code {"key":"...","value":"..."}}.
 *
 * <p>With the encoding {@code text} a string holds the UTF-8 itself, escaped as JSON does; where
 * the bytes are not UTF-8 it holds base64, and {@code "keyEncoding":"base64"} or {@code
 * "valueEncoding":"base64"} says so. In other encodings a string holds their text.
 */
final class JsonLines {
  private static final String BASE64 = "base64";

  private JsonLines() {}

  /**
   * Reads entries whose keys and values are in the encodings given, unless a line says otherwise.
   */
  static EntryReader reader(InputStream in, Encoding keys, Encoding values) {
    return new Reader(in, keys, values);
  }

  /** Writes entries with keys and values in the encodings given. */
  static EntryWriter writer(Output out, Encoding keys, Encoding values) {
    return (key, value) -> {
      Map<String, String> object = new LinkedHashMap<>();
      put(object, "key", key, keys);
      put(object, "value", value, values);
      out.line(Json.of(object));
    };
  }

  private static void put(
      Map<String, String> object, String name, byte[] bytes, Encoding encoding) {
    if (encoding != Encoding.TEXT) {
      object.put(name, encoding.format(bytes));
    } else if (TextForm.isUtf8(bytes)) {
      object.put(name, new String(bytes, StandardCharsets.UTF_8));
    } else {
      object.put(name, Base64.getEncoder().encodeToString(bytes));
      object.put(name + "Encoding", BASE64);
    }
  }

  private static final class Reader implements EntryReader {
    private final LineReader lines;
    private final Encoding keys;
    private final Encoding values;
    private byte[] key;
    private byte[] value;

    Reader(InputStream in, Encoding keys, Encoding values) {
      this.lines = new LineReader(in);
      this.keys = keys;
      this.values = values;
    }

    @Override
    public boolean next() throws IOException, BadInputException {
      String line = lines.next();
      if (line == null) {
        return false;
      }
      try {
        Map<String, String> object = new JsonObjectParser(line).parse();
        key = take(object, "key", keys);
        value = take(object, "value", values);
        if (!object.isEmpty()) {
          throw new IllegalArgumentException(
              "it has a member that is not known: \"" + object.keySet().iterator().next() + "\"");
        }
      } catch (IllegalArgumentException e) {
        throw new BadInputException(lineNumber(), e.getMessage());
      }
      return true;
    }

    private static byte[] take(Map<String, String> object, String name, Encoding encoding) {
      String text = object.remove(name);
      String ownEncoding = object.remove(name + "Encoding");
      if (text == null) {
        throw new IllegalArgumentException("it has no \"" + name + "\"");
      }
      if (ownEncoding != null && !ownEncoding.equals(BASE64)) {
        throw new IllegalArgumentException(
            "its " + name + "Encoding is \"" + ownEncoding + "\", known is only " + BASE64);
      }
      try {
        if (ownEncoding != null) {
          return Encoding.BASE64.parse(text);
        }
        return encoding == Encoding.TEXT ? TextForm.utf8(text) : encoding.parse(text);
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException("its " + name + ": " + e.getMessage(), e);
      }
    }

    @Override
    public byte[] key() {
      return key;
    }

    @Override
    public byte[] value() {
      return value;
    }

    @Override
    public long lineNumber() {
      return lines.lineNumber();
    }
  }
}
