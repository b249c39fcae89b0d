package dev.kvdb.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;

/**
 * A random program run against a database and against {@link TreeMap}s, step by step: puts,
 * deletes, range deletes, batches over several tables, scans both ways, seeks, snapshots kept while
 * the program goes on, checkpoints, reopening with and without a clean close.
 *
 * <p>The pool is as small as it may be and the log tiny, so that eviction, checkpoints, slot
 * changes and replay happen all the time; {@link Counters} says how often they did.
 */
final class RandomProgram {
  /** What really happened, summed over programs. */
  static final class Counters {
    long evictions;
    long checkpoints;
    long triggeredCheckpoints;
    long slotChanges;
    long replayedCommits;
    long snapshotChecks;
    long operations;
    long merges;

    @Override
    public String toString() {
      return operations
          + " operations, "
          + evictions
          + " pages evicted, "
          + checkpoints
          + " checkpoints ("
          + triggeredCheckpoints
          + " triggered), "
          + slotChanges
          + " log slots begun, "
          + replayedCommits
          + " commits replayed, "
          + merges
          + " pages given back by deletes, "
          + snapshotChecks
          + " snapshot checks";
    }
  }

  private record Kept(EngineSnapshot snapshot, List<TreeMap<byte[], byte[]>> model) {}

  private static final int TABLES = 3;

  private final Path path;
  private final long seed;
  private final Random random;
  private final Counters counters;
  private final EngineOptions options;
  private final int spread;
  private final List<TreeMap<byte[], byte[]>> model = new ArrayList<>();
  private final Deque<Kept> kept = new ArrayDeque<>();
  private final List<EngineTable> tables = new ArrayList<>();
  private KilledCalls calls;
  private Engine engine;
  private int step;

  RandomProgram(Path path, long seed, Counters counters) {
    this.path = path;
    this.seed = seed;
    this.random = new Random(seed);
    this.counters = counters;
    this.spread = 50 << random.nextInt(8);
    this.options =
        EngineOptions.defaults()
            .withPoolBytes(1) // the smallest pool there is
            .withLog(128 << 10, 1 << 20, 64 << 10)
            .withDeadBytesTrigger(1 << 20)
            .withAddressSpaceBytes(1L << 30)
            .withCommitLevel(random.nextBoolean() ? CommitLevel.NONE : CommitLevel.FSYNC);
  }

  void run(int steps) {
    try {
      open();
      for (step = 0; step < steps; step++) {
        oneStep();
        counters.operations++;
      }
      compareAll();
      close();
      open();
      compareAll();
      close();
    } catch (RuntimeException | Error problem) {
      try {
        if (engine != null) {
          engine.close();
        }
      } catch (RuntimeException | Error closeProblem) {
        problem.addSuppressed(closeProblem);
      }
      throw new AssertionError("seed " + seed + ", step " + step + ": " + problem, problem);
    }
  }

  private void open() {
    calls = new KilledCalls();
    engine = Engine.open(path, options, calls.calls());
    counters.replayedCommits += engine.replayedCommits();
    tables.clear();
    for (int i = 0; i < TABLES; i++) {
      tables.add(engine.createTable("table" + i));
      if (model.size() <= i) {
        model.add(Keys.model());
      }
    }
  }

  private void close() {
    verify();
    countEvents();
    engine.close();
    engine = null;
  }

  /** As if the process had been killed: what it wrote is there, nothing else is done. */
  private void kill() {
    put(0); // so that the log has been started
    countEvents();
    calls.kill(engine);
    engine = null;
  }

  private void countEvents() {
    kept.forEach(one -> one.snapshot().close());
    kept.clear();
    EngineStats stats = engine.stats();
    counters.evictions += stats.evictions();
    counters.checkpoints += stats.checkpoints();
    counters.triggeredCheckpoints += engine.triggeredCheckpoints();
    counters.slotChanges += engine.logSlotsBegun();
  }

  private void verify() {
    assertEquals(List.of(), engine.verify().problems());
  }

  private void oneStep() {
    int table = random.nextInt(TABLES);
    int kind = random.nextInt(1000);
    if (kind < 500) {
      put(table);
    } else if (kind < 640) {
      delete(table);
    } else if (kind < 660) {
      deleteRange(table);
    } else if (kind < 740) {
      batch();
    } else if (kind < 900) {
      get(table);
    } else if (kind < 940) {
      scan(table, engine);
    } else if (kind < 965) {
      snapshot();
    } else if (kind < 985) {
      checkSnapshot();
    } else if (kind < 992) {
      engine.checkpoint();
    } else if (kind < 996) {
      bulk(table);
    } else if (kind < 998) {
      if (random.nextBoolean()) {
        close();
      } else {
        kill();
      }
      open();
    } else {
      verify();
    }
  }

  private CommitLevel level() {
    CommitLevel[] levels = CommitLevel.values();
    return random.nextInt(20) == 0 ? levels[random.nextInt(levels.length)] : CommitLevel.NONE;
  }

  private void put(int table) {
    byte[] key = Keys.key(random, spread);
    byte[] value = Keys.value(random);
    engine.put(tables.get(table), key, value, level());
    model.get(table).put(key, value);
  }

  private void delete(int table) {
    byte[] key = Keys.key(random, spread);
    boolean was = model.get(table).remove(key) != null;
    assertEquals(was, engine.delete(tables.get(table), key, level()));
  }

  private void deleteRange(int table) {
    byte[] from = random.nextInt(6) == 0 ? null : Keys.key(random, spread);
    byte[] to = random.nextInt(6) == 0 ? null : Keys.key(random, spread);
    NavigableMap<byte[], byte[]> range = range(model.get(table), from, to);
    long expected = range.size();
    long pagesBefore = engine.stats().freePages();
    assertEquals(expected, engine.deleteRange(tables.get(table), from, to, level()));
    range.clear();
    counters.merges += Math.max(0, engine.stats().freePages() - pagesBefore);
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

  private void batch() {
    OperationBuffer operations = new OperationBuffer();
    int size = 1 + random.nextInt(random.nextInt(20) == 0 ? 2000 : 20);
    for (int i = 0; i < size; i++) {
      int table = random.nextInt(TABLES);
      byte[] key = Keys.key(random, spread);
      if (random.nextInt(4) == 0) {
        operations.delete(tables.get(table).id(), key);
        model.get(table).remove(key);
      } else {
        byte[] value = Keys.value(random);
        operations.put(tables.get(table).id(), key, value);
        model.get(table).put(key, value);
      }
    }
    engine.write(operations, level());
  }

  /** Many puts in a row, ascending, so that splits and evictions come in numbers. */
  private void bulk(int table) {
    int first = random.nextInt(100_000);
    for (int i = 0; i < 3000; i++) {
      byte[] key = String.format("bulk%08d", first + i).getBytes();
      byte[] value = Keys.value(random);
      engine.put(tables.get(table), key, value, CommitLevel.NONE);
      model.get(table).put(key, value);
    }
  }

  private void get(int table) {
    byte[] key = Keys.key(random, spread);
    assertArrayEquals(model.get(table).get(key), engine.get(tables.get(table), key));
  }

  private void scan(int table, Engine on) {
    try (EngineSnapshot snapshot = on.beginSnapshot()) {
      scan(snapshot, table, model.get(table));
    }
  }

  private void scan(EngineSnapshot snapshot, int table, TreeMap<byte[], byte[]> map) {
    byte[] from = Keys.key(random, spread);
    try (EngineCursor cursor = snapshot.cursor(tables.get(table))) {
      boolean forward = random.nextBoolean();
      boolean found = forward ? cursor.seekAtLeast(from) : cursor.seekAtMost(from);
      Map.Entry<byte[], byte[]> expected = forward ? map.ceilingEntry(from) : map.floorEntry(from);
      for (int i = 0; i < 200 && expected != null; i++) {
        assertTrue(found, "the cursor ended too early");
        assertArrayEquals(expected.getKey(), cursor.key());
        assertArrayEquals(expected.getValue(), cursor.value());
        boolean onward = forward == (random.nextInt(8) != 0);
        found = onward ? cursor.next() : cursor.previous();
        expected = onward ? map.higherEntry(expected.getKey()) : map.lowerEntry(expected.getKey());
      }
      if (expected == null) {
        assertEquals(false, found, "the cursor went on behind the end");
      }
    }
  }

  private void snapshot() {
    if (kept.size() > 3) {
      kept.removeFirst().snapshot().close();
    }
    List<TreeMap<byte[], byte[]>> copy = new ArrayList<>();
    for (TreeMap<byte[], byte[]> map : model) {
      copy.add(new TreeMap<>(map));
    }
    kept.add(new Kept(engine.beginSnapshot(), copy));
  }

  private void checkSnapshot() {
    if (kept.isEmpty()) {
      return;
    }
    Kept one = random.nextBoolean() ? kept.getFirst() : kept.getLast();
    int table = random.nextInt(TABLES);
    TreeMap<byte[], byte[]> map = one.model().get(table);
    assertEquals(map.size(), one.snapshot().count(tables.get(table)));
    scan(one.snapshot(), table, map);
    byte[] key = Keys.key(random, spread);
    assertArrayEquals(map.get(key), one.snapshot().get(tables.get(table), key));
    counters.snapshotChecks++;
  }

  private void compareAll() {
    try (EngineSnapshot snapshot = engine.beginSnapshot()) {
      for (int i = 0; i < TABLES; i++) {
        compare(snapshot, tables.get(i), model.get(i));
      }
    }
  }

  /** Checks that a table holds what a model does, no more and no less. */
  static void compare(EngineSnapshot snapshot, EngineTable table, Map<byte[], byte[]> expected) {
    assertEquals(expected.size(), snapshot.count(table));
    try (EngineCursor cursor = snapshot.cursor(table)) {
      boolean found = cursor.first();
      for (Map.Entry<byte[], byte[]> entry : expected.entrySet()) {
        assertTrue(found, "an entry is missing at the end");
        assertArrayEquals(entry.getKey(), cursor.key());
        assertArrayEquals(entry.getValue(), cursor.value());
        found = cursor.next();
      }
      assertEquals(false, found, "there is an entry too many");
    }
  }
}
