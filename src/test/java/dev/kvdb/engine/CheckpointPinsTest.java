package dev.kvdb.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.nativecalls.NativeCalls;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A checkpoint that is slow to write must leave the pool usable. */
class CheckpointPinsTest {
  private static final EngineOptions OPTIONS =
      EngineOptions.defaults()
          .withPoolBytes(1)
          .withLog(64 << 20, 256 << 20, 1 << 20)
          .withAddressSpaceBytes(1L << 28);

  @TempDir Path directory;

  @Test
  void commitsFindFramesWhileACheckpointWritesItsPages() throws Exception {
    CountDownLatch writing = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Thread[] checkpoint = new Thread[1];
    NativeCalls calls =
        WatchedCalls.of(
            NativeCalls.system(),
            (name, arguments) -> {
              if (name.equals("write")
                  && Thread.currentThread() == checkpoint[0]
                  && ((MemorySegment) arguments[1]).byteSize() > 16 * 4096) {
                writing.countDown();
                awaitQuietly(goOn);
              }
            });
    try (Engine engine = Engine.open(directory.resolve("db"), OPTIONS, calls)) {
      EngineTable table = engine.createTable("t");
      int entries = 0;
      while (engine.stats().poolBytesUsed() < engine.stats().poolBytes()) {
        engine.put(table, key(entries++), new byte[900], CommitLevel.NONE);
      }
      checkpoint[0] = new Thread(engine::checkpoint);
      checkpoint[0].start();
      assertTrue(writing.await(20, TimeUnit.SECONDS), "the checkpoint never wrote a long run");
      OperationBuffer operations = new OperationBuffer();
      for (int i = 0; i < 120 * 4; i++) {
        operations.put(table.id(), key(10_000 + i), new byte[900]);
      }
      try {
        engine.write(operations, CommitLevel.NONE);
      } finally {
        goOn.countDown();
        checkpoint[0].join();
      }
      assertEquals(entries + 120 * 4, engine.count(table));
      assertEquals(List.of(), engine.verify().problems());
    }
  }

  private static byte[] key(int number) {
    return String.format("key%08d", number).getBytes();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await(20, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
