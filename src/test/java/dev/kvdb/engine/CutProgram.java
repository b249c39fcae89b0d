package dev.kvdb.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.disk.CutCampaign.Interruption;
import dev.kvdb.disk.SimulatedDisk;
import dev.kvdb.nativecalls.NativeCalls;
import dev.kvdb.pager.SpacePolicy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * A program of numbered commits for the simulated disk, and the check of what a crash leaves of it.
 *
 * <p>Commit n is a function of the seed and n, and stores n itself, so any state tells which commit
 * it is the state after, and what it must hold. Marks say which commits were begun and which
 * acknowledged at which level. Whatever is left must be the state after one commit, no earlier than
 * the last one acknowledged at a level that survives what happened, no later than the last one
 * begun; a database must be there once its creation was acknowledged.
 */
final class CutProgram {
  /** A commit is on its way. */
  record Begun(int commit) {}

  /** A commit has returned; created databases are commit 0. */
  record Acknowledged(int commit, CommitLevel level) {}

  private static final String FILE = "database";
  private static final byte[] COUNTER_KEY = "n".getBytes();
  private static final int TABLES = 3;
  private static final int SPREAD = 400;

  private final long seed;
  private final int commits;
  private final EngineOptions options;
  private boolean closesCleanly = true;
  private int checkpointEvery = 9;
  private int reopenEvery = 23;
  private int bulkEvery = 17;
  private int bulkEntries = 60;
  private SpacePolicy policy = SpacePolicy.RULES;
  private LogRules logRules = LogRules.STRICT;
  private UnaryOperator<NativeCalls> calls = UnaryOperator.identity();
  private final List<List<TreeMap<byte[], byte[]>>> models = new ArrayList<>();

  CutProgram(long seed, int commits, CommitLevel level) {
    this.seed = seed;
    this.commits = commits;
    this.options =
        EngineOptions.defaults()
            .withPoolBytes(1)
            .withLog(64 << 10, 1 << 20, 16 << 10)
            .withDeadBytesTrigger(1 << 20)
            .withAddressSpaceBytes(1L << 28)
            .withCommitLevel(level);
  }

  CutProgram withoutClose() {
    closesCleanly = false;
    return this;
  }

  CutProgram withBulk(int every, int entries) {
    bulkEvery = every;
    bulkEntries = entries;
    return this;
  }

  CutProgram withCheckpoints(int every, int reopen) {
    checkpointEvery = every;
    reopenEvery = reopen;
    return this;
  }

  CutProgram withRules(SpacePolicy newPolicy, LogRules newLogRules) {
    policy = newPolicy;
    logRules = newLogRules;
    return this;
  }

  CutProgram withCalls(UnaryOperator<NativeCalls> decorator) {
    calls = decorator;
    return this;
  }

  private Engine open(SimulatedDisk disk) {
    return Engine.open(disk.path(FILE), options, calls.apply(disk), policy, logRules);
  }

  // ------------------------------------------------------------------ the program

  /** Goes on from whatever state it finds to the last commit. */
  void run(SimulatedDisk disk) {
    int floor = floorAtStart(disk.marks());
    Engine engine = open(disk);
    try {
      int done = stateOf(engine);
      assertTrue(done >= floor, "commit " + floor + " was acknowledged, found " + done);
      disk.mark(new Acknowledged(done, CommitLevel.FULL));
      for (int commit = done + 1; commit <= commits; commit++) {
        if (commit % reopenEvery == 0) {
          engine.close();
          engine = open(disk);
        }
        commit(engine, disk, commit);
        if (commit % checkpointEvery == 0) {
          engine.checkpoint();
        }
      }
    } finally {
      if (closesCleanly || !disk.marks().isEmpty()) {
        engine.close();
      }
    }
  }

  /** After a kill everything acknowledged at any level is there, after a cut what was synced. */
  private static int floorAtStart(List<?> marks) {
    int synced = 0;
    int any = 0;
    for (Object mark : marks) {
      if (mark instanceof Acknowledged ack) {
        any = Math.max(any, ack.commit());
        if (ack.level() != CommitLevel.NONE) {
          synced = Math.max(synced, ack.commit());
        }
      } else if (mark == Interruption.CUT) {
        any = synced;
      }
    }
    return any;
  }

  private void commit(Engine engine, SimulatedDisk disk, int commit) {
    OperationBuffer operations = new OperationBuffer();
    fill(operations, engine, commit);
    CommitLevel level = levelOf(commit);
    disk.mark(new Begun(commit));
    engine.write(operations, level);
    disk.mark(new Acknowledged(commit, level));
  }

  private CommitLevel levelOf(int commit) {
    Random random = new Random(seed * 7919 + commit);
    return random.nextInt(3) == 0
        ? CommitLevel.values()[1 + random.nextInt(3)]
        : random.nextInt(2) == 0 ? options.commitLevel() : CommitLevel.NONE;
  }

  /** The operations of a commit, for the engine or, where that is null, for the models alone. */
  private void fill(OperationBuffer operations, Engine engine, int commit) {
    Random random = new Random(seed * 1_000_003 + commit);
    operations.put(id(engine, 0), COUNTER_KEY, ByteBuffer.allocate(4).putInt(commit).array());
    int count = commit % bulkEvery == 0 ? bulkEntries : 1 + random.nextInt(8);
    for (int i = 0; i < count; i++) {
      int table = 1 + random.nextInt(TABLES - 1);
      byte[] key = Keys.key(random, SPREAD);
      int kind = random.nextInt(20);
      if (kind < 13) {
        operations.put(id(engine, table), key, Keys.value(random));
      } else if (kind < 19) {
        operations.delete(id(engine, table), key);
      } else {
        byte[] to = Keys.key(random, SPREAD);
        operations.deleteRange(id(engine, table), key, to);
      }
    }
  }

  private static int id(Engine engine, int table) {
    return engine.createTable("table" + table).id();
  }

  // ------------------------------------------------------------------ the model

  private List<TreeMap<byte[], byte[]>> modelAfter(int commit) {
    while (models.size() <= commit) {
      List<TreeMap<byte[], byte[]>> model = new ArrayList<>();
      for (int i = 0; i < TABLES; i++) {
        model.add(models.isEmpty() ? Keys.model() : new TreeMap<>(models.getLast().get(i)));
      }
      if (!models.isEmpty()) {
        apply(model, models.size());
      }
      models.add(model);
    }
    return models.get(commit);
  }

  private void apply(List<TreeMap<byte[], byte[]>> model, int commit) {
    Random random = new Random(seed * 1_000_003 + commit);
    model.get(0).put(COUNTER_KEY, ByteBuffer.allocate(4).putInt(commit).array());
    int count = commit % bulkEvery == 0 ? bulkEntries : 1 + random.nextInt(8);
    for (int i = 0; i < count; i++) {
      TreeMap<byte[], byte[]> table = model.get(1 + random.nextInt(TABLES - 1));
      byte[] key = Keys.key(random, SPREAD);
      int kind = random.nextInt(20);
      if (kind < 13) {
        table.put(key, Keys.value(random));
      } else if (kind < 19) {
        table.remove(key);
      } else {
        byte[] to = Keys.key(random, SPREAD);
        if (Keys.ORDER.compare(key, to) < 0) {
          table.subMap(key, true, to, false).clear();
        }
      }
    }
  }

  /** Which commit a database is the state after. */
  private static int stateOf(Engine engine) {
    EngineTable table = engine.findTable("table0");
    byte[] value = table == null ? null : engine.get(table, COUNTER_KEY);
    return value == null ? 0 : ByteBuffer.wrap(value).getInt();
  }

  // ------------------------------------------------------------------ the check

  /** Opens what is left after a power cut and compares it with the model. */
  void check(SimulatedDisk disk, List<?> marks) {
    int begun = 0;
    int synced = -1;
    for (Object mark : marks) {
      if (mark instanceof Begun one) {
        begun = Math.max(begun, one.commit());
      } else if (mark instanceof Acknowledged ack && ack.level() != CommitLevel.NONE) {
        synced = Math.max(synced, ack.commit());
      }
    }
    if (disk.status(disk.path(FILE)) == null) {
      assertTrue(synced < 0, "the database is gone, though commit " + synced + " was synced");
      return;
    }
    try (Engine engine = open(disk)) {
      int state = stateOf(engine);
      assertTrue(
          state >= synced && state <= begun,
          "the state after commit "
              + state
              + "; commit "
              + synced
              + " was synced, "
              + begun
              + " was begun");
      compare(engine, state);
      assertEquals(List.of(), engine.verify().problems());
      if (state < commits && state % 5 == 0) {
        commit(engine, disk, state + 1);
        compare(engine, state + 1);
      }
    }
  }

  private void compare(Engine engine, int state) {
    List<TreeMap<byte[], byte[]>> model = modelAfter(state);
    try (EngineSnapshot snapshot = engine.beginSnapshot()) {
      for (int i = 0; i < TABLES; i++) {
        EngineTable table = snapshot.findTable("table" + i);
        if (table == null) {
          assertTrue(model.get(i).isEmpty(), "table" + i + " is missing");
        } else {
          RandomProgram.compare(snapshot, table, model.get(i));
        }
      }
    }
  }
}
