package dev.kvdb.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;

/** What a database holds after a commit: its tables by name. Immutable; tables are shared. */
final class CrashModel {
  static final CrashModel EMPTY = new CrashModel(new TreeMap<>());

  /** The entries of a table, never changed once they are here, and a hash of them. */
  private static final class Content {
    final TreeMap<byte[], byte[]> entries;
    final long hash;

    Content(TreeMap<byte[], byte[]> entries) {
      this.entries = entries;
      long sum = 1;
      for (Map.Entry<byte[], byte[]> entry : entries.entrySet()) {
        sum = 31 * sum + Arrays.hashCode(entry.getKey());
        sum = 0x9E37_79B9_7F4A_7C15L * sum + Arrays.hashCode(entry.getValue());
      }
      hash = sum;
    }

    boolean isSameAs(Content other) {
      if (this == other) {
        return true;
      }
      if (hash != other.hash || entries.size() != other.entries.size()) {
        return false;
      }
      var theirs = other.entries.entrySet().iterator();
      for (Map.Entry<byte[], byte[]> mine : entries.entrySet()) {
        Map.Entry<byte[], byte[]> their = theirs.next();
        if (!Arrays.equals(mine.getKey(), their.getKey())
            || !Arrays.equals(mine.getValue(), their.getValue())) {
          return false;
        }
      }
      return true;
    }
  }

  private final TreeMap<String, Content> tables;

  private CrashModel(TreeMap<String, Content> tables) {
    this.tables = tables;
  }

  /** Changes of several tables that make the next state together. */
  final class Edit {
    private final Map<String, TreeMap<byte[], byte[]>> changed = new TreeMap<>();

    private TreeMap<byte[], byte[]> open(String table) {
      return changed.computeIfAbsent(table, name -> copyOf(entries(name)));
    }

    Edit put(String table, byte[] key, byte[] value) {
      open(table).put(key, value);
      return this;
    }

    Edit delete(String table, byte[] key) {
      open(table).remove(key);
      return this;
    }

    Edit deleteRange(String table, byte[] from, byte[] to) {
      range(open(table), from, to).clear();
      return this;
    }

    CrashModel done() {
      TreeMap<String, Content> next = new TreeMap<>(tables);
      changed.forEach((name, entries) -> next.put(name, new Content(entries)));
      return new CrashModel(next);
    }
  }

  Edit edit() {
    return new Edit();
  }

  private static TreeMap<byte[], byte[]> copyOf(TreeMap<byte[], byte[]> entries) {
    return new TreeMap<>(entries);
  }

  private static NavigableMap<byte[], byte[]> range(
      TreeMap<byte[], byte[]> map, byte[] from, byte[] to) {
    if (from != null && to != null) {
      return Keys.ORDER.compare(from, to) >= 0 ? Keys.model() : map.subMap(from, true, to, false);
    }
    if (from != null) {
      return map.tailMap(from, true);
    }
    return to != null ? map.headMap(to, false) : map;
  }

  CrashModel withTable(String name) {
    TreeMap<String, Content> next = new TreeMap<>(tables);
    next.put(name, new Content(Keys.model()));
    return new CrashModel(next);
  }

  CrashModel withoutTable(String name) {
    TreeMap<String, Content> next = new TreeMap<>(tables);
    next.remove(name);
    return new CrashModel(next);
  }

  CrashModel withRenamed(String from, String to) {
    TreeMap<String, Content> next = new TreeMap<>(tables);
    next.put(to, next.remove(from));
    return new CrashModel(next);
  }

  List<String> names() {
    return new ArrayList<>(tables.keySet());
  }

  /** The entries of a table; not to be changed. */
  TreeMap<byte[], byte[]> entries(String table) {
    return Objects.requireNonNull(tables.get(table), table).entries;
  }

  /** What an engine shows; fails if a table's count or the order of its keys is wrong. */
  static CrashModel read(Engine engine) {
    try (EngineSnapshot snapshot = engine.beginSnapshot()) {
      return read(snapshot, engine.tables());
    }
  }

  /** What a snapshot shows of these tables. */
  static CrashModel read(EngineSnapshot snapshot, List<EngineTable> shown) {
    TreeMap<String, Content> found = new TreeMap<>();
    for (EngineTable table : shown) {
      TreeMap<byte[], byte[]> entries = Keys.model();
      try (EngineCursor cursor = snapshot.cursor(table)) {
        for (boolean more = cursor.first(); more; more = cursor.next()) {
          byte[] key = cursor.key();
          if (!entries.isEmpty() && Keys.ORDER.compare(entries.lastKey(), key) >= 0) {
            throw new AssertionError(table + ": its keys are out of order");
          }
          entries.put(key, cursor.value());
        }
      }
      if (snapshot.count(table) != entries.size()) {
        throw new AssertionError(
            table + ": it counts " + snapshot.count(table) + ", holds " + entries.size());
      }
      found.put(table.name(), new Content(entries));
    }
    return new CrashModel(found);
  }

  /** Whether both hold the same tables with the same entries. */
  boolean isSameAs(CrashModel other) {
    if (!tables.keySet().equals(other.tables.keySet())) {
      return false;
    }
    for (Map.Entry<String, Content> entry : tables.entrySet()) {
      if (!entry.getValue().isSameAs(other.tables.get(entry.getKey()))) {
        return false;
      }
    }
    return true;
  }

  /** The first few differences, for messages. */
  String differencesFrom(CrashModel expected) {
    StringBuilder text = new StringBuilder();
    if (!tables.keySet().equals(expected.tables.keySet())) {
      text.append("tables ").append(names()).append(" for ").append(expected.names());
    }
    for (String name : names()) {
      Content theirs = expected.tables.get(name);
      if (theirs != null && !tables.get(name).isSameAs(theirs)) {
        int missing = 0;
        int other = 0;
        for (Map.Entry<byte[], byte[]> entry : theirs.entries.entrySet()) {
          byte[] mine = tables.get(name).entries.get(entry.getKey());
          missing += mine == null ? 1 : 0;
          other += mine != null && !Arrays.equals(mine, entry.getValue()) ? 1 : 0;
        }
        int surplus = entries(name).size() - (theirs.entries.size() - missing);
        text.append(name).append(": ").append(missing).append(" missing, ");
        text.append(other).append(" with another value, ").append(surplus).append(" too many; ");
      }
    }
    return text.toString();
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("{");
    tables.forEach((name, content) -> text.append(name + ":" + content.entries.size() + " "));
    return text.append('}').toString();
  }
}
