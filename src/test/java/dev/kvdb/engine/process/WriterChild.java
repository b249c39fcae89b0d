package dev.kvdb.engine.process;

import dev.kvdb.engine.CommitLevel;
import dev.kvdb.engine.Engine;
import dev.kvdb.engine.EngineTable;
import dev.kvdb.nativecalls.NativeCalls;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A process that commits from several threads and reports over its standard output what it has
 * begun and what was acknowledged, until it is killed, dies at a failpoint or has done its share.
 *
 * <p>A report is eight bytes, written by one call: kind, thread, number.
 */
public final class WriterChild {
  static final int OPENING = 1;
  static final int OPENED = 2;
  static final int BEGUN = 3;
  static final int ACKNOWLEDGED = 4;
  static final int CHECKPOINTS = 5;
  static final int EVICTIONS = 6;

  static final int FAILED_STATUS = 3;

  private static final int CHECKPOINT_EVERY = 40;

  private static final FileOutputStream OUT = new FileOutputStream(FileDescriptor.out);

  private final Engine engine;
  private final EngineTable[] tables = new EngineTable[WriterPlan.TABLES];
  private final long seed;
  private final boolean checkpoints;

  private WriterChild(Engine engine, long seed, boolean checkpoints) {
    this.engine = engine;
    this.seed = seed;
    this.checkpoints = checkpoints;
    for (int i = 0; i < tables.length; i++) {
      tables[i] = engine.createTable(WriterPlan.tableName(i));
    }
  }

  static void report(int kind, int thread, long number) throws IOException {
    long packed = (long) kind << 56 | (long) thread << 48 | number;
    OUT.write(ByteBuffer.allocate(Long.BYTES).putLong(packed).array());
  }

  /**
   * Arguments: path, seed, default level, commits of each thread (0: without end), then for each
   * thread the number of its first commit.
   */
  public static void main(String[] arguments) throws Exception {
    Path path = Path.of(arguments[0]);
    long seed = Long.parseLong(arguments[1]);
    CommitLevel level = CommitLevel.valueOf(arguments[2]);
    long commits = Long.parseLong(arguments[3]);
    long[] first = new long[arguments.length - 4];
    for (int i = 0; i < first.length; i++) {
      first[i] = Long.parseLong(arguments[i + 4]);
    }
    report(OPENING, 0, 0);
    Engine engine = Engine.open(path, WriterPlan.options(level), NativeCalls.system());
    report(OPENED, 0, engine.replayedCommits());
    WriterChild child = new WriterChild(engine, seed, commits > 0);
    Thread[] threads = new Thread[first.length];
    for (int i = 0; i < threads.length; i++) {
      int thread = i;
      long end = commits == 0 ? Long.MAX_VALUE : first[i] + commits;
      threads[i] = new Thread(() -> child.write(thread, first[thread], end));
      threads[i].start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    engine.close();
  }

  private void write(int thread, long first, long end) {
    try {
      for (long n = first; n < end; n++) {
        WriterPlan plan = WriterPlan.of(seed, thread, n);
        report(BEGUN, thread, n);
        plan.commit(engine, tables);
        report(ACKNOWLEDGED, thread, n);
        if (thread == 0 && n % 20 == 0) {
          report(CHECKPOINTS, thread, engine.stats().checkpoints());
          report(EVICTIONS, thread, engine.stats().evictions());
        }
        if (thread == 0 && checkpoints && n % CHECKPOINT_EVERY == CHECKPOINT_EVERY - 1) {
          engine.checkpoint();
        }
      }
    } catch (Throwable problem) {
      problem.printStackTrace();
      Runtime.getRuntime().halt(FAILED_STATUS);
    }
  }
}
