package dev.kvdb.cli;

import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reads one JSON object (RFC 8259) whose members are strings; that is all {@code jsonl} has. */
final class JsonObjectParser {
  private final String json;
  private int position;

  JsonObjectParser(String json) {
    this.json = json;
  }

  /**
   * The members in their order; the map can be changed.
   *
   * @throws IllegalArgumentException if the text is no such object; the message names the place
   */
  Map<String, String> parse() {
    Map<String, String> members = new LinkedHashMap<>();
    expect('{');
    if (peek() == '}') {
      position++;
    } else {
      do {
        String name = string();
        expect(':');
        if (members.put(name, string()) != null) {
          throw new IllegalArgumentException("it has two members \"" + name + "\"");
        }
      } while (takeComma());
      expect('}');
    }
    if (peek() != 0) {
      throw wrong("the end of the line");
    }
    return members;
  }

  private boolean takeComma() {
    boolean isComma = peek() == ',';
    position += isComma ? 1 : 0;
    return isComma;
  }

  private void expect(char c) {
    if (peek() != c) {
      throw wrong("'" + c + "'");
    }
    position++;
  }

  /** The next character that is no white space, without taking it; 0 at the end. */
  private char peek() {
    while (position < json.length() && " \t\r".indexOf(json.charAt(position)) >= 0) {
      position++;
    }
    return position < json.length() ? json.charAt(position) : 0;
  }

  private String string() {
    if (peek() != '"') {
      throw wrong("a string");
    }
    position++;
    StringBuilder text = new StringBuilder();
    while (position < json.length()) {
      char c = json.charAt(position++);
      if (c == '"') {
        return text.toString();
      }
      if (c < ' ') {
        position--;
        throw wrong("an escape instead of a control character");
      }
      text.append(c == '\\' ? escaped() : c);
    }
    throw wrong("the end of a string");
  }

  private char escaped() {
    char c = position < json.length() ? json.charAt(position++) : 0;
    int simple = "\"\\/bfnrt".indexOf(c);
    if (c != 0 && simple >= 0) {
      return "\"\\/\b\f\n\r\t".charAt(simple);
    }
    if (c == 'u' && position + 4 <= json.length()) {
      String digits = json.substring(position, position + 4);
      if (digits.chars().allMatch(HexFormat::isHexDigit)) {
        position += 4;
        return (char) HexFormat.fromHexDigits(digits);
      }
    }
    throw wrong("an escape of JSON");
  }

  private IllegalArgumentException wrong(String expected) {
    return new IllegalArgumentException(
        "at character " + (position + 1) + " there should be " + expected);
  }
}
