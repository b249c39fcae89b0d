package dev.kvdb.engine.process;

import dev.kvdb.engine.CommitLevel;
import dev.kvdb.engine.Engine;
import dev.kvdb.engine.EngineOptions;
import dev.kvdb.engine.EngineTable;
import dev.kvdb.engine.OperationBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * What a writer thread does in its n-th commit: known from the seed, the thread and n alone, so
 * that a parent process can say what a child has to have left behind. Each thread has its own keys.
 */
final class WriterPlan {
  static final int TABLES = 3;
  static final int KEYS = 1500;

  private static final int RANGE_KEYS_MAX = 40;

  /** A change of one key (value null: deleted), or of a range if there is an upper bound. */
  private record Change(int table, byte[] key, byte[] value, byte[] upperBound) {}

  private final List<Change> changes = new ArrayList<>();
  private final CommitLevel level;

  private WriterPlan(long seed, int thread, long n) {
    SplittableRandom random =
        new SplittableRandom(seed * 0x9E3779B97F4A7C15L + thread * 0x632BE59BD9B4E019L + n);
    this.level = level(random);
    int kind = random.nextInt(1000);
    if (kind < 550) {
      changes.add(put(random, thread));
    } else if (kind < 750) {
      changes.add(delete(random, thread));
    } else if (kind < 800) {
      changes.add(deleteRange(random, thread));
    } else {
      int size = kind < 995 ? 2 + random.nextInt(30) : 600;
      for (int i = 0; i < size; i++) {
        int item = random.nextInt(20);
        changes.add(
            item < 14
                ? put(random, thread)
                : item < 19 ? delete(random, thread) : deleteRange(random, thread));
      }
    }
  }

  static WriterPlan of(long seed, int thread, long n) {
    return new WriterPlan(seed, thread, n);
  }

  /** A pool and a log so small that evictions, checkpoints and slot changes never stop. */
  static EngineOptions options(CommitLevel defaultLevel) {
    return EngineOptions.defaults()
        .withPoolBytes(1)
        .withLog(128 << 10, 1 << 20, 64 << 10)
        .withDeadBytesTrigger(1 << 20)
        .withAddressSpaceBytes(1L << 30)
        .withCommitLevel(defaultLevel);
  }

  private static CommitLevel level(SplittableRandom random) {
    CommitLevel[] levels = CommitLevel.values();
    return random.nextInt(25) == 0 ? levels[random.nextInt(levels.length)] : CommitLevel.NONE;
  }

  static String tableName(int table) {
    return "table" + table;
  }

  static byte[] key(int thread, int number) {
    return String.format("writer%02d/%06d", thread, number).getBytes(StandardCharsets.UTF_8);
  }

  /** The thread whose key this is. */
  static int threadOf(byte[] key) {
    return (key[6] - '0') * 10 + key[7] - '0';
  }

  private static byte[] value(SplittableRandom random) {
    int length = random.nextInt(8) == 0 ? random.nextInt(1025) : random.nextInt(150);
    byte[] value = new byte[length];
    random.nextBytes(value);
    return value;
  }

  private static Change put(SplittableRandom random, int thread) {
    int table = random.nextInt(TABLES);
    return new Change(table, key(thread, random.nextInt(KEYS)), value(random), null);
  }

  private static Change delete(SplittableRandom random, int thread) {
    return new Change(random.nextInt(TABLES), key(thread, random.nextInt(KEYS)), null, null);
  }

  private static Change deleteRange(SplittableRandom random, int thread) {
    int from = random.nextInt(KEYS);
    int length = random.nextInt(100) == 0 ? KEYS : random.nextInt(RANGE_KEYS_MAX);
    int to = Math.min(KEYS, from + length);
    return new Change(random.nextInt(TABLES), key(thread, from), null, key(thread, to));
  }

  /** A model: a map for each table. */
  static List<TreeMap<byte[], byte[]>> emptyModel() {
    List<TreeMap<byte[], byte[]>> model = new ArrayList<>();
    for (int i = 0; i < TABLES; i++) {
      model.add(new TreeMap<>(Arrays::compareUnsigned));
    }
    return model;
  }

  /** Does it to a model. */
  void apply(List<TreeMap<byte[], byte[]>> model) {
    for (Change change : changes) {
      TreeMap<byte[], byte[]> table = model.get(change.table());
      if (change.upperBound() != null) {
        table.subMap(change.key(), true, change.upperBound(), false).clear();
      } else if (change.value() == null) {
        table.remove(change.key());
      } else {
        table.put(change.key(), change.value());
      }
    }
  }

  /** Does it to a database, in one commit. */
  void commit(Engine engine, EngineTable[] tables) {
    if (changes.size() > 1) {
      commitBatch(engine, tables);
      return;
    }
    Change change = changes.getFirst();
    EngineTable table = tables[change.table()];
    if (change.upperBound() != null) {
      engine.deleteRange(table, change.key(), change.upperBound(), level);
    } else if (change.value() == null) {
      engine.delete(table, change.key(), level);
    } else {
      engine.put(table, change.key(), change.value(), level);
    }
  }

  private void commitBatch(Engine engine, EngineTable[] tables) {
    OperationBuffer batch = new OperationBuffer();
    for (Change change : changes) {
      int id = tables[change.table()].id();
      if (change.upperBound() != null) {
        batch.deleteRange(id, change.key(), change.upperBound());
      } else if (change.value() == null) {
        batch.delete(id, change.key());
      } else {
        batch.put(id, change.key(), change.value());
      }
    }
    engine.write(batch, level);
  }
}
