package dev.kvdb.cli;

import java.util.Iterator;
import java.util.Map;

/** Writes JSON (RFC 8259) on one line. */
final class Json {
  private Json() {}

  /**
   * The JSON of a value.
   *
   * @param value a {@link Map} with strings as keys, an {@link Iterable}, a string, a finite
   *     number, a boolean or null; nested as one likes
   */
  static String of(Object value) {
    StringBuilder json = new StringBuilder();
    append(json, value);
    return json.toString();
  }

  private static void append(StringBuilder json, Object value) {
    switch (value) {
      case null -> json.append("null");
      case Map<?, ?> map -> appendObject(json, map);
      case Iterable<?> elements -> appendArray(json, elements);
      case Number number -> json.append(number);
      case Boolean bool -> json.append(bool);
      default -> appendString(json, value.toString());
    }
  }

  private static void appendObject(StringBuilder json, Map<?, ?> map) {
    json.append('{');
    String separator = "";
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      json.append(separator);
      appendString(json, entry.getKey().toString());
      json.append(':');
      append(json, entry.getValue());
      separator = ",";
    }
    json.append('}');
  }

  private static void appendArray(StringBuilder json, Iterable<?> elements) {
    json.append('[');
    Iterator<?> iterator = elements.iterator();
    while (iterator.hasNext()) {
      append(json, iterator.next());
      if (iterator.hasNext()) {
        json.append(',');
      }
    }
    json.append(']');
  }

  private static void appendString(StringBuilder json, String text) {
    json.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> json.append("\\\"");
        case '\\' -> json.append("\\\\");
        case '\n' -> json.append("\\n");
        case '\r' -> json.append("\\r");
        case '\t' -> json.append("\\t");
        default -> {
          if (c < ' ' || Character.isSurrogate(c) && !isPaired(text, i)) {
            json.append(String.format("\\u%04x", (int) c));
          } else {
            json.append(c);
          }
        }
      }
    }
    json.append('"');
  }

  private static boolean isPaired(String text, int index) {
    char c = text.charAt(index);
    return Character.isHighSurrogate(c)
        ? index + 1 < text.length() && Character.isLowSurrogate(text.charAt(index + 1))
        : index > 0 && Character.isHighSurrogate(text.charAt(index - 1));
  }
}
