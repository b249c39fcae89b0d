package dev.kvdb.engine.process;

import dev.kvdb.engine.Engine;
import dev.kvdb.engine.EngineCursor;
import dev.kvdb.engine.EngineSnapshot;
import dev.kvdb.engine.EngineTable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the writers of a database have done so far, over any number of child processes: reads their
 * reports and checks that a database holds every acknowledged commit, in the order of its thread,
 * and of the one begun behind it all or nothing.
 */
final class WriterHistory {
  private final long seed;
  private final List<List<TreeMap<byte[], byte[]>>> models = new ArrayList<>();

  /** By thread, the number of commits that the model has. */
  private final long[] modelled;

  private final long[] begun;
  private final long[] acknowledged;

  long checkpoints;
  long evictions;
  long replayedByChild = -1;
  long inFlight;
  long inFlightThere;
  boolean opening;

  WriterHistory(long seed, int threads) {
    this.seed = seed;
    modelled = new long[threads];
    begun = new long[threads];
    acknowledged = new long[threads];
    for (int i = 0; i < threads; i++) {
      models.add(WriterPlan.emptyModel());
    }
  }

  /** The same past, for another future. */
  WriterHistory copy() {
    WriterHistory copy = new WriterHistory(seed, modelled.length);
    for (int thread = 0; thread < modelled.length; thread++) {
      copy.models.set(thread, copy(models.get(thread)));
      copy.modelled[thread] = modelled[thread];
      copy.begun[thread] = begun[thread];
      copy.acknowledged[thread] = acknowledged[thread];
    }
    return copy;
  }

  /** The arguments of a child that goes on where the last one ended. */
  String[] arguments(String path, String level, long commits) {
    List<String> arguments = new ArrayList<>();
    arguments.add(path);
    arguments.add(Long.toString(seed));
    arguments.add(level);
    arguments.add(Long.toString(commits));
    for (long n : modelled) {
      arguments.add(Long.toString(n));
    }
    replayedByChild = -1;
    opening = false;
    return arguments.toArray(new String[0]);
  }

  /** Commits that the checked states hold, over all threads. */
  long commits() {
    return Arrays.stream(modelled).sum();
  }

  /** Acknowledged commits that no checked state has been compared with yet. */
  long acknowledgedSinceCheck() {
    return Arrays.stream(acknowledged).sum() - commits();
  }

  /**
   * Reads reports until one of a kind has come.
   *
   * @return false if the reports ended before
   */
  boolean readUntil(DataInputStream reports, int kind) throws IOException {
    while (true) {
      long packed;
      try {
        packed = reports.readLong();
      } catch (EOFException end) {
        return false;
      }
      int found = (int) (packed >>> 56);
      int thread = (int) (packed >>> 48) & 0xFF;
      long number = packed & 0xFFFF_FFFF_FFFFL;
      switch (found) {
        case WriterChild.OPENING -> opening = true;
        case WriterChild.OPENED -> replayedByChild = number;
        case WriterChild.BEGUN -> begun[thread] = number + 1;
        case WriterChild.ACKNOWLEDGED -> acknowledged[thread] = number + 1;
        case WriterChild.CHECKPOINTS -> checkpoints = Math.max(checkpoints, number);
        case WriterChild.EVICTIONS -> evictions = Math.max(evictions, number);
        default -> throw new AssertionError("a report of kind " + found);
      }
      if (found == kind) {
        return true;
      }
    }
  }

  /** Reads all reports to their end. */
  void readAll(DataInputStream reports) throws IOException {
    readUntil(reports, -1);
  }

  /** Checks the state of a database, and takes it as where the next child goes on. */
  void check(Engine engine) {
    List<String> problems = engine.verify().problems();
    if (!problems.isEmpty()) {
      throw new AssertionError("verify: " + problems);
    }
    List<List<TreeMap<byte[], byte[]>>> found = read(engine);
    for (int thread = 0; thread < modelled.length; thread++) {
      checkThread(thread, found.get(thread));
    }
  }

  private List<List<TreeMap<byte[], byte[]>>> read(Engine engine) {
    List<List<TreeMap<byte[], byte[]>>> found = new ArrayList<>();
    for (int i = 0; i < modelled.length; i++) {
      found.add(WriterPlan.emptyModel());
    }
    try (EngineSnapshot snapshot = engine.beginSnapshot()) {
      for (int i = 0; i < WriterPlan.TABLES; i++) {
        EngineTable table = snapshot.findTable(WriterPlan.tableName(i));
        if (table == null) {
          continue;
        }
        long count = 0;
        EngineCursor cursor = snapshot.cursor(table);
        while (cursor.next()) {
          found.get(WriterPlan.threadOf(cursor.key())).get(i).put(cursor.key(), cursor.value());
          count++;
        }
        if (count != snapshot.count(table)) {
          throw new AssertionError(table + " has " + count + " entries, not as it says");
        }
      }
    }
    return found;
  }

  private void checkThread(int thread, List<TreeMap<byte[], byte[]>> found) {
    List<TreeMap<byte[], byte[]>> model = models.get(thread);
    while (modelled[thread] < acknowledged[thread]) {
      WriterPlan.of(seed, thread, modelled[thread]++).apply(model);
    }
    String difference = difference(model, found);
    if (begun[thread] > acknowledged[thread]) {
      inFlight++;
      // The commit in flight may be there: then all of it. One without effect counts as there.
      List<TreeMap<byte[], byte[]>> with = copy(model);
      WriterPlan.of(seed, thread, modelled[thread]).apply(with);
      String differenceWith = difference(with, found);
      if (differenceWith == null) {
        models.set(thread, with);
        modelled[thread]++;
        inFlightThere++;
        difference = null;
      }
    }
    if (difference != null) {
      throw new AssertionError(
          "thread "
              + thread
              + ", "
              + acknowledged[thread]
              + " commits acknowledged, "
              + begun[thread]
              + " begun: "
              + difference);
    }
    begun[thread] = modelled[thread];
    acknowledged[thread] = modelled[thread];
  }

  private static List<TreeMap<byte[], byte[]>> copy(List<TreeMap<byte[], byte[]>> model) {
    List<TreeMap<byte[], byte[]>> copy = new ArrayList<>();
    for (TreeMap<byte[], byte[]> table : model) {
      copy.add(new TreeMap<>(table));
    }
    return copy;
  }

  /** The first difference in words, null if there is none. */
  private static String difference(
      List<TreeMap<byte[], byte[]>> expected, List<TreeMap<byte[], byte[]>> found) {
    for (int i = 0; i < expected.size(); i++) {
      for (Map.Entry<byte[], byte[]> entry : expected.get(i).entrySet()) {
        byte[] value = found.get(i).get(entry.getKey());
        if (!Arrays.equals(entry.getValue(), value)) {
          return describe(i, entry.getKey(), entry.getValue(), value);
        }
      }
      for (Map.Entry<byte[], byte[]> entry : found.get(i).entrySet()) {
        if (!expected.get(i).containsKey(entry.getKey())) {
          return describe(i, entry.getKey(), null, entry.getValue());
        }
      }
    }
    return null;
  }

  private static String describe(int table, byte[] key, byte[] expected, byte[] found) {
    return WriterPlan.tableName(table)
        + ", key "
        + new String(key)
        + ": expected "
        + text(expected)
        + ", found "
        + text(found);
  }

  private static String text(byte[] value) {
    return value == null ? "nothing" : value.length + " bytes " + HexFormat.of().formatHex(value);
  }
}
