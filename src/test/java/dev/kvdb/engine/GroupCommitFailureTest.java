package dev.kvdb.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.kvdb.nativecalls.NativeCallException;
import dev.kvdb.nativecalls.NativeCalls;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GroupCommitFailureTest {
  private static final int ROUNDS = 60;
  private static final int THREADS = 12;
  private static final long FLUSH_NANOS = 200_000;

  @TempDir Path directory;

  /** A checkpoint ends writing at any moment between a sync and the one after it. */
  @Test
  void everyCommitEndsWhenACheckpointEndsWriting() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      endWritingDuringCommits(round);
    }
  }

  private void endWritingDuringCommits(int round) throws InterruptedException {
    Thread[] checkpoint = new Thread[1];
    NativeCalls calls =
        WatchedCalls.of(
            NativeCalls.system(),
            (name, arguments) -> {
              if (name.equals("flush")) {
                if (Thread.currentThread() == checkpoint[0]) {
                  throw new NativeCallException("fdatasync", "pages", 5, "EIO", "planned");
                }
                LockSupport.parkNanos(FLUSH_NANOS);
              }
            });
    EngineOptions options = EngineOptions.defaults().withLog(1 << 20, 8 << 20, 64 << 10);
    Engine engine = Engine.open(directory.resolve("db" + round), options, calls);
    EngineTable table = engine.createTable("t");
    List<Thread> writers = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      byte[] key = {(byte) i};
      writers.add(Thread.ofPlatform().daemon().start(() -> putUntilRefused(engine, table, key)));
    }
    LockSupport.parkNanos(2_000_000 + round * 50_000L);
    checkpoint[0] =
        new Thread(() -> assertThrows(EngineException.class, engine::checkpoint), "checkpoint");
    checkpoint[0].start();
    checkpoint[0].join();
    for (Thread writer : writers) {
      writer.join(20_000);
      assertFalse(writer.isAlive(), "round " + round + ": a commit waits for ever");
    }
    engine.close();
  }

  private static void putUntilRefused(Engine engine, EngineTable table, byte[] key) {
    EngineException refused =
        assertThrows(
            EngineException.class,
            () -> {
              while (true) {
                engine.put(table, key, key, CommitLevel.FSYNC);
              }
            });
    assertEquals(EngineException.Kind.WRITES_REFUSED, refused.kind());
  }
}
