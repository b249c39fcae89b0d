package dev.kvdb.engine;

import dev.kvdb.disk.SimulatedDisk;
import dev.kvdb.engine.CrashHistory.Acked;
import dev.kvdb.engine.CrashHistory.Begun;
import dev.kvdb.engine.CrashHistory.Checkpointed;
import dev.kvdb.engine.CrashHistory.Closed;
import dev.kvdb.engine.CrashHistory.Failed;
import dev.kvdb.engine.CrashHistory.Found;
import dev.kvdb.engine.EngineException.Kind;
import dev.kvdb.nativecalls.NativeCalls;
import dev.kvdb.pager.SpacePolicy;
import java.nio.file.Path;
import java.util.function.UnaryOperator;

/** An engine on a simulated disk, beside it the model; marks every commit in the disk's history. */
final class CrashEngine implements AutoCloseable {
  static final String NAME = "P";

  /** How engines are opened, with or without a planted bug. */
  record Setup(
      EngineOptions options,
      SpacePolicy policy,
      LogRules logRules,
      UnaryOperator<NativeCalls> decorator) {
    static Setup of(EngineOptions options) {
      return new Setup(options, SpacePolicy.RULES, LogRules.STRICT, calls -> calls);
    }

    Setup with(SpacePolicy newPolicy) {
      return new Setup(options, newPolicy, logRules, decorator);
    }

    Setup with(LogRules newRules) {
      return new Setup(options, policy, newRules, decorator);
    }

    Setup with(UnaryOperator<NativeCalls> newDecorator) {
      return new Setup(options, policy, logRules, newDecorator);
    }

    Setup with(EngineOptions newOptions) {
      return new Setup(newOptions, policy, logRules, decorator);
    }

    Engine open(SimulatedDisk disk) {
      return Engine.open(disk.path(NAME), options, decorator.apply(disk), policy, logRules);
    }
  }

  /** The smallest pool, small slots, a checkpoint every few slots. */
  static EngineOptions options(CommitLevel level, long slotBytes) {
    return EngineOptions.defaults()
        .withPoolBytes(1)
        .withLog(4 * slotBytes, 16 * slotBytes, slotBytes)
        .withDeadBytesTrigger(1 << 20)
        .withAddressSpaceBytes(1L << 28)
        .withCommitLevel(level);
  }

  private final SimulatedDisk disk;
  private final Engine engine;
  private CrashModel model;
  private int commits;
  private boolean refused;

  private CrashEngine(SimulatedDisk disk, Engine engine) {
    this.disk = disk;
    this.engine = engine;
  }

  /** Opens and marks what is found. */
  static CrashEngine open(SimulatedDisk disk, Setup setup) {
    CrashEngine opened = new CrashEngine(disk, setup.open(disk));
    try {
      opened.model = CrashModel.read(opened.engine);
    } catch (RuntimeException | Error problem) {
      opened.engine.close();
      throw problem;
    }
    disk.mark(new Found(opened.model));
    return opened;
  }

  Engine engine() {
    return engine;
  }

  CrashModel model() {
    return model;
  }

  Path path() {
    return disk.path(NAME);
  }

  /** Whether a commit was refused because writing has ended. */
  boolean isRefused() {
    return refused;
  }

  /** Runs one commit between its marks. */
  void commit(CrashModel next, CommitLevel level, Runnable operation) {
    if (refused) {
      requireRefused(operation);
    }
    int number = ++commits;
    disk.mark(new Begun(number, next));
    try {
      operation.run();
    } catch (EngineException problem) {
      refused = problem.kind() == Kind.WRITES_REFUSED;
      disk.mark(new Failed(number, refused));
      throw problem;
    }
    model = next;
    disk.mark(new Acked(number, level));
  }

  private static void requireRefused(Runnable operation) {
    operation.run(); // throws, or else:
    throw new AssertionError("a commit was taken after writing had ended");
  }

  private EngineTable table(String name) {
    EngineTable table = engine.findTable(name);
    if (table == null) {
      throw new AssertionError("table " + name + " is missing from the open engine");
    }
    return table;
  }

  void createTable(String name, CommitLevel engineLevel) {
    commit(model.withTable(name), engineLevel, () -> engine.createTable(name));
  }

  void dropTable(String name, CommitLevel engineLevel) {
    commit(model.withoutTable(name), engineLevel, () -> engine.dropTable(name));
  }

  void renameTable(String from, String to, CommitLevel engineLevel) {
    commit(model.withRenamed(from, to), engineLevel, () -> engine.renameTable(from, to));
  }

  void put(String table, byte[] key, byte[] value, CommitLevel level) {
    CrashModel next = model.edit().put(table, key, value).done();
    EngineTable target = table(table);
    commit(next, level, () -> engine.put(target, key, value, level));
  }

  void delete(String table, byte[] key, CommitLevel level) {
    EngineTable target = table(table);
    boolean was = model.entries(table).containsKey(key);
    commit(
        model.edit().delete(table, key).done(),
        level,
        () -> {
          if (engine.delete(target, key, level) != was) {
            throw new AssertionError("a delete in " + table + " did not tell what was there");
          }
        });
  }

  void deleteRange(String table, byte[] from, byte[] to, CommitLevel level) {
    EngineTable target = table(table);
    CrashModel next = model.edit().deleteRange(table, from, to).done();
    long expected = model.entries(table).size() - next.entries(table).size();
    commit(
        next,
        level,
        () -> {
          if (engine.deleteRange(target, from, to, level) != expected) {
            throw new AssertionError("a range delete in " + table + " told a wrong number");
          }
        });
  }

  /** A batch, built for model and engine at once. */
  final class Batch {
    private final OperationBuffer operations = new OperationBuffer();
    private final CrashModel.Edit edit = model.edit();

    Batch put(String table, byte[] key, byte[] value) {
      operations.put(table(table).id(), key, value);
      edit.put(table, key, value);
      return this;
    }

    Batch delete(String table, byte[] key) {
      operations.delete(table(table).id(), key);
      edit.delete(table, key);
      return this;
    }

    Batch deleteRange(String table, byte[] from, byte[] to) {
      operations.deleteRange(table(table).id(), from, to);
      edit.deleteRange(table, from, to);
      return this;
    }

    void write(CommitLevel level) {
      commit(edit.done(), level, () -> engine.write(operations, level));
    }
  }

  Batch batch() {
    return new Batch();
  }

  void checkpoint() {
    engine.checkpoint();
    disk.mark(new Checkpointed());
  }

  /** Fails unless readers of the open engine see the model, and verify finds nothing. */
  void check() {
    CrashModel seen = CrashModel.read(engine);
    if (!seen.isSameAs(model)) {
      throw new AssertionError(
          "the open engine shows another state: " + seen.differencesFrom(model));
    }
  }

  void verify() {
    VerifyResult result = engine.verify();
    if (!result.problems().isEmpty()) {
      throw new AssertionError("verify: " + result.problems());
    }
  }

  @Override
  public void close() {
    engine.close();
    if (!refused) {
      disk.mark(new Closed());
    }
  }
}
