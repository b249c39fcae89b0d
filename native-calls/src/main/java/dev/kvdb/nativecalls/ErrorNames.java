package dev.kvdb.nativecalls;

import java.util.HashMap;
import java.util.Map;

/** The error numbers of one system, with their names and what they mean. Immutable. */
final class ErrorNames {
  private record Entry(String name, String description) {}

  private final Map<Integer, Entry> byNumber = new HashMap<>();

  /**
   * @param table one error a line: number, name and description, divided by one blank each
   */
  ErrorNames(String table) {
    for (String line : table.lines().toList()) {
      String[] parts = line.split(" ", 3);
      byNumber.put(Integer.valueOf(parts[0]), new Entry(parts[1], parts[2]));
    }
  }

  /** The name of an error number, {@code "E" + number} if it has none. */
  String name(int number) {
    Entry entry = byNumber.get(number);
    return entry == null ? "E" + number : entry.name;
  }

  /** What an error number means, in a few words. */
  String description(int number) {
    Entry entry = byNumber.get(number);
    return entry == null ? "unknown error" : entry.description;
  }
}
