package dev.kvdb.engine;

import dev.kvdb.disk.CutCampaign.Program;
import dev.kvdb.disk.Kind;
import dev.kvdb.disk.Operation;
import dev.kvdb.disk.SimulatedDisk;
import dev.kvdb.engine.CrashEngine.Setup;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A random program of every kind of commit, the same for the same seed but for what background
 * threads do meanwhile: puts, deletes, range deletes, batches over several tables and over several
 * log slots, tables made, dropped and renamed, checkpoints, snapshots held across them, clean
 * closes, at changing levels.
 */
final class CrashProgram implements Program {
  /** What really happened, summed over runs. */
  static final class Counters {
    final AtomicLong commits = new AtomicLong();
    final AtomicLong evictions = new AtomicLong();
    final AtomicLong checkpoints = new AtomicLong();
    final AtomicLong triggeredCheckpoints = new AtomicLong();
    final AtomicLong slotsBegun = new AtomicLong();
    final AtomicLong replayedCommits = new AtomicLong();
    final AtomicLong snapshotsChecked = new AtomicLong();
    final AtomicLong syncedFirstRecords = new AtomicLong();
    final AtomicLong growths = new AtomicLong();

    @Override
    public String toString() {
      return commits
          + " commits, "
          + evictions
          + " pages evicted, "
          + checkpoints
          + " checkpoints ("
          + triggeredCheckpoints
          + " triggered), "
          + slotsBegun
          + " log slots begun ("
          + syncedFirstRecords
          + " with a FULL commit first), "
          + growths
          + " growths of the page file, "
          + replayedCommits
          + " commits replayed, "
          + snapshotsChecked
          + " snapshots checked";
    }
  }

  private record Kept(EngineSnapshot snapshot, List<EngineTable> tables, CrashModel model) {}

  private static final String[] NAMES = {"a", "b", "c", "d", "e"};
  private static final int SNAPSHOTS_MAX = 2;

  private final Setup setup;
  private final long seed;
  private final int steps;
  private final int spread;
  private final int batchPutsMax;
  private final Counters counters;

  // Of the run under way.
  private Random random;
  private SimulatedDisk disk;
  private CrashEngine engine;
  private final Deque<Kept> kept = new ArrayDeque<>();

  /**
   * @param spread how many different keys there are
   * @param batchPutsMax the size of the largest batches
   */
  CrashProgram(Setup setup, long seed, int steps, int spread, int batchPutsMax, Counters counters) {
    this.setup = setup;
    this.seed = seed;
    this.steps = steps;
    this.spread = spread;
    this.batchPutsMax = batchPutsMax;
    this.counters = counters;
  }

  @Override
  public synchronized void run(SimulatedDisk onDisk) {
    random = new Random(seed);
    disk = onDisk;
    kept.clear();
    engine = CrashEngine.open(disk, setup);
    int step = 0;
    try {
      counters.replayedCommits.addAndGet(engine.engine().replayedCommits());
      for (; step < steps; step++) {
        oneStep();
      }
      engine.check();
      engine.verify();
    } catch (RuntimeException | Error problem) {
      closeQuietly(problem);
      throw new AssertionError("seed " + seed + ", step " + step + ": " + problem, problem);
    }
    close();
  }

  private void closeQuietly(Throwable problem) {
    try {
      engine.engine().close();
    } catch (RuntimeException | Error second) {
      problem.addSuppressed(second);
    }
  }

  private void close() {
    kept.forEach(one -> one.snapshot().close());
    kept.clear();
    EngineStats stats = engine.engine().stats();
    counters.evictions.addAndGet(stats.evictions());
    counters.checkpoints.addAndGet(stats.checkpoints());
    counters.triggeredCheckpoints.addAndGet(engine.engine().triggeredCheckpoints());
    counters.slotsBegun.addAndGet(engine.engine().logSlotsBegun());
    engine.close();
    counters.growths.addAndGet(
        disk.operations().stream()
            .filter(o -> o.kind() == Kind.ALLOCATE && !o.name().contains("-wal-"))
            .count());
  }

  private void oneStep() {
    List<String> tables = engine.model().names();
    if (tables.isEmpty()) {
      createTable();
      return;
    }
    String table = tables.get(random.nextInt(tables.size()));
    int kind = random.nextInt(1000);
    if (kind < 480) {
      put(table);
    } else if (kind < 600) {
      engine.delete(table, key(), level());
    } else if (kind < 640) {
      deleteRange(table);
    } else if (kind < 760) {
      batch(tables, 1 + random.nextInt(8));
    } else if (kind < 790) {
      batch(tables, 1 + batchPutsMax / 2 + random.nextInt(batchPutsMax));
    } else if (kind < 830) {
      createTable();
    } else if (kind < 850) {
      dropTable(tables, table);
    } else if (kind < 880) {
      renameTable(tables, table);
    } else if (kind < 915) {
      engine.checkpoint();
    } else if (kind < 940) {
      snapshot();
    } else if (kind < 975) {
      checkSnapshots();
    } else if (kind < 985) {
      reopen();
    } else {
      engine.check();
      engine.verify();
    }
  }

  private CommitLevel level() {
    int kind = random.nextInt(100);
    int none = setup.options().commitLevel() == CommitLevel.NONE ? 75 : 35;
    if (kind < none) {
      return CommitLevel.NONE;
    }
    return kind < none + 10
        ? CommitLevel.FULL
        : kind < none + 15 ? CommitLevel.BARRIER : CommitLevel.FSYNC;
  }

  private byte[] key() {
    return Keys.key(random, spread);
  }

  private void put(String table) {
    CommitLevel level = level();
    int before = disk.operationCount();
    engine.put(table, key(), Keys.value(random), level);
    counters.commits.incrementAndGet();
    if (level == CommitLevel.FULL
        && disk.operations().stream().skip(before).anyMatch(this::isFirst)) {
      counters.syncedFirstRecords.incrementAndGet();
    }
  }

  /** Whether a call wrote the first record of a log slot. */
  private boolean isFirst(Operation operation) {
    return (operation.kind() == Kind.WRITE || operation.kind() == Kind.STORE)
        && operation.name().contains("-wal-")
        && operation.offset() == 4096;
  }

  private void deleteRange(String table) {
    byte[] from = random.nextInt(6) == 0 ? null : key();
    byte[] to = random.nextInt(6) == 0 ? null : key();
    engine.deleteRange(table, from, to, level());
    counters.commits.incrementAndGet();
  }

  private void batch(List<String> tables, int size) {
    CrashEngine.Batch batch = engine.batch();
    for (int i = 0; i < size; i++) {
      String table = tables.get(random.nextInt(tables.size()));
      switch (random.nextInt(12)) {
        case 0, 1 -> batch.delete(table, key());
        case 2 -> {
          byte[] from = key();
          batch.deleteRange(table, from, new byte[] {from.length == 0 ? 1 : from[0], 9});
        }
        default -> batch.put(table, key(), Keys.value(random));
      }
    }
    batch.write(level());
    counters.commits.incrementAndGet();
  }

  private String freeName() {
    for (String name : NAMES) {
      if (!engine.model().names().contains(name)) {
        return name;
      }
    }
    return null;
  }

  private void createTable() {
    String name = freeName();
    if (name != null) {
      engine.createTable(name, setup.options().commitLevel());
      counters.commits.incrementAndGet();
    }
  }

  private void dropTable(List<String> tables, String table) {
    if (tables.size() > 1) {
      engine.dropTable(table, setup.options().commitLevel());
      counters.commits.incrementAndGet();
    }
  }

  private void renameTable(List<String> tables, String table) {
    String name = freeName();
    if (name != null) {
      engine.renameTable(table, name, setup.options().commitLevel());
      counters.commits.incrementAndGet();
    }
  }

  private void snapshot() {
    if (kept.size() == SNAPSHOTS_MAX) {
      kept.removeFirst().snapshot().close();
    }
    kept.add(new Kept(engine.engine().beginSnapshot(), engine.engine().tables(), engine.model()));
  }

  /** Names may have changed since: a snapshot's tables are compared by their entries. */
  private void checkSnapshots() {
    for (Kept one : kept) {
      List<String> names = one.model().names();
      for (int i = 0; i < names.size(); i++) {
        RandomProgram.compare(
            one.snapshot(), one.tables().get(i), one.model().entries(names.get(i)));
      }
      counters.snapshotsChecked.incrementAndGet();
    }
  }

  private void reopen() {
    close();
    engine = CrashEngine.open(disk, setup);
  }
}
