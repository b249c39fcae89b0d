package dev.kvdb.engine;

import dev.kvdb.pager.Pager;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The tables by id and by name. Names are versioned like roots: each has a list of what it meant
 * from which commit number on, so that an older snapshot still finds a table that was renamed or
 * dropped since. Changed under the commit lock, read by any thread.
 */
final class Tables {
  /** The longest name of a table in bytes of UTF-8. */
  static final int NAME_BYTES_MAX = 255;

  private static final class Meaning {
    final long number;
    final EngineTable table;
    final Meaning older;

    Meaning(long number, EngineTable table, Meaning older) {
      this.number = number;
      this.table = table;
      this.older = older;
    }
  }

  private final ConcurrentSkipListMap<String, Meaning> names = new ConcurrentSkipListMap<>();
  private final Map<Integer, EngineTable> byId = new HashMap<>();
  private EngineTable lastFound;
  private int nextId = 1;

  int nextId() {
    return nextId;
  }

  void raiseNextId(int id) {
    nextId = Math.max(nextId, id);
  }

  /** The table with an id; null if there is none now. Under the commit lock. */
  EngineTable byId(int id) {
    EngineTable last = lastFound;
    if (last != null && last.id() == id) {
      return last;
    }
    EngineTable table = byId.get(id);
    if (table != null) {
      lastFound = table;
    }
    return table;
  }

  /** What a name meant at a number; null if nothing. */
  EngineTable find(String name, long number) {
    Meaning meaning = names.get(name);
    while (meaning != null && meaning.number > number) {
      meaning = meaning.older;
    }
    return meaning == null ? null : meaning.table;
  }

  /** What a name means in the newest applied state. Under the commit lock. */
  EngineTable findApplied(String name) {
    return find(name, Long.MAX_VALUE);
  }

  /** The tables at a number, in the order of their names. */
  List<EngineTable> at(long number) {
    List<EngineTable> tables = new ArrayList<>();
    for (String name : names.keySet()) {
      EngineTable table = find(name, number);
      if (table != null) {
        tables.add(table);
      }
    }
    return tables;
  }

  /** The names of the tables at a number, in order. */
  List<String> namesAt(long number) {
    List<String> found = new ArrayList<>();
    for (String name : names.keySet()) {
      if (find(name, number) != null) {
        found.add(name);
      }
    }
    return found;
  }

  /** The tables at a number with the names they had then. */
  Map<String, EngineTable> namedAt(long number) {
    Map<String, EngineTable> tables = new HashMap<>();
    for (String name : names.keySet()) {
      EngineTable table = find(name, number);
      if (table != null) {
        tables.put(name, table);
      }
    }
    return tables;
  }

  /** Adds a table. Under the commit lock, by a commit that can no longer fail. */
  void add(EngineTable table, long number) {
    byId.put(table.id(), table);
    raiseNextId(table.id() + 1);
    give(table.name(), table, number);
  }

  void drop(EngineTable table, long number) {
    byId.remove(table.id());
    table.drop(number);
    lastFound = null;
    give(table.name(), null, number);
  }

  void rename(EngineTable table, String newName, long number) {
    give(table.name(), null, number);
    table.rename(newName);
    give(newName, table, number);
  }

  private void give(String name, EngineTable table, long number) {
    names.put(name, new Meaning(number, table, names.get(name)));
  }

  /**
   * Ends appending in place (I-21): from here on the open leaves hold what the applied roots say.
   * Under the commit lock, before pages are written for a checkpoint or checked.
   */
  void closeOpenLeaves() {
    for (EngineTable table : byId.values()) {
      table.appendableLeaf = 0;
    }
  }

  /** Forgets what names meant before any number that anybody can still be at. */
  void prune(Pager pager) {
    for (Map.Entry<String, Meaning> entry : names.entrySet()) {
      Meaning newest = entry.getValue();
      boolean isNeeded = newest.number > pager.passedNumber() || pager.isHeld(0, newest.number);
      if (!isNeeded && newest.table == null) {
        names.remove(entry.getKey());
      } else if (!isNeeded && newest.older != null) {
        names.put(entry.getKey(), new Meaning(newest.number, newest.table, null));
      }
    }
  }
}
