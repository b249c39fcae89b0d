package dev.kvdb.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.nativecalls.NativeCallException;
import dev.kvdb.nativecalls.NativeCalls;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClosingTest {
  @TempDir Path directory;

  /** A closed descriptor's number may be another file's by the time the checkpoint writes on. */
  @Test
  void closeWaitsForACheckpointUnderWayAlsoWhenWritingHasEnded() throws Exception {
    CountDownLatch flushing = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    AtomicBoolean isFlushing = new AtomicBoolean();
    AtomicBoolean isFailing = new AtomicBoolean();
    AtomicBoolean wasClosedMeanwhile = new AtomicBoolean();
    Thread[] checkpoint = new Thread[1];
    NativeCalls calls =
        WatchedCalls.of(
            NativeCalls.system(),
            (name, arguments) -> {
              if (name.equals("flush") && Thread.currentThread() == checkpoint[0]) {
                isFlushing.set(true);
                flushing.countDown();
                awaitQuietly(goOn);
                isFlushing.set(false);
              } else if (name.equals("flush") && isFailing.get()) {
                throw new NativeCallException("fdatasync", "the log", 5, "EIO", "planned");
              } else if (name.equals("close") && isFlushing.get()) {
                wasClosedMeanwhile.set(true);
              }
            });
    Engine engine = Engine.open(directory.resolve("db"), EngineOptions.defaults(), calls);
    EngineTable table = engine.createTable("t");
    checkpoint[0] = new Thread(() -> assertThrows(EngineException.class, engine::checkpoint));
    checkpoint[0].start();
    assertTrue(flushing.await(20, TimeUnit.SECONDS));
    isFailing.set(true);
    EngineException refused =
        assertThrows(
            EngineException.class,
            () -> engine.put(table, new byte[1], new byte[1], CommitLevel.FSYNC));
    assertEquals(EngineException.Kind.WRITES_REFUSED, refused.kind());
    Thread closer = new Thread(engine::close);
    closer.start();
    closer.join(500);
    goOn.countDown();
    checkpoint[0].join();
    closer.join();
    assertFalse(wasClosedMeanwhile.get(), "a descriptor was closed under the checkpoint");
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await(20, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
