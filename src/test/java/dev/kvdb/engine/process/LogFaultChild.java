package dev.kvdb.engine.process;

import dev.kvdb.engine.CommitLevel;
import dev.kvdb.engine.Engine;
import dev.kvdb.engine.EngineException;
import dev.kvdb.engine.EngineOptions;
import dev.kvdb.engine.EngineTable;
import dev.kvdb.nativecalls.NativeCalls;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Cuts the log's file under a hot loop of puts at level NONE, then dies without closing. Prints how
 * many puts were acknowledged; puts are numbered, an acknowledged one may be followed by no other
 * that was refused.
 */
final class LogFaultChild {
  private static final int WARM_UP_PUTS = 40_000;
  private static final int CUTS = 40;
  private static final int PUTS_AFTER_CUT = 60;
  private static final long SLOT_BYTES = 64 << 20;
  private static final long PAGE_BYTES = 4096;

  private final Engine engine;
  private final EngineTable table;
  private int acknowledged;
  private int refused;

  private LogFaultChild(Path path) {
    engine = Engine.open(path, options(), NativeCalls.system());
    table = engine.createTable("log");
  }

  /** One log slot that is never left, and no checkpoint. */
  static EngineOptions options() {
    return EngineOptions.defaults()
        .withLog(1L << 40, 1L << 41, SLOT_BYTES)
        .withDeadBytesTrigger(1L << 40)
        .withCommitLevel(CommitLevel.NONE);
  }

  private void put() {
    int number = acknowledged;
    try {
      engine.put(table, FaultChild.key(number), FaultChild.value(number), null);
      acknowledged++;
    } catch (EngineException problem) {
      switch (problem.kind()) {
        case IO, CORRUPT, WRITES_REFUSED -> refused++;
        default -> throw problem;
      }
    }
  }

  private FileChannel logFile() throws Exception {
    Path path = engine.file();
    return FileChannel.open(
        path.resolveSibling(path.getFileName() + "-wal-0"), StandardOpenOption.WRITE);
  }

  private void end() {
    System.out.println("acknowledged " + acknowledged + ", refused " + refused);
    System.out.flush();
    Runtime.getRuntime().halt(0);
  }

  /** Nothing that was acknowledged is taken away: every put must be in the log or refused. */
  static void cutBehindTheEnd(Path path) throws Exception {
    LogFaultChild child = new LogFaultChild(path);
    for (int i = 0; i < WARM_UP_PUTS; i++) {
      child.put();
    }
    try (FileChannel log = child.logFile()) {
      for (int cut = 0; cut < CUTS; cut++) {
        long end = child.engine.stats().logBytes();
        log.truncate((end + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES);
        for (int i = 0; i < PUTS_AFTER_CUT; i++) {
          child.put();
        }
      }
    }
    child.end();
  }

  /** Acknowledged records are gone: no put may be acknowledged behind them. */
  static void cutBeforeTheEnd(Path path) throws Exception {
    LogFaultChild child = new LogFaultChild(path);
    for (int i = 0; i < WARM_UP_PUTS; i++) {
      child.put();
    }
    try (FileChannel log = child.logFile()) {
      log.truncate(PAGE_BYTES * 4);
    }
    int before = child.acknowledged;
    for (int i = 0; i < PUTS_AFTER_CUT; i++) {
      child.put();
    }
    System.out.println("acknowledged after the cut: " + (child.acknowledged - before));
    child.end();
  }
}
