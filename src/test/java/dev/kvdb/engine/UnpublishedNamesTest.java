package dev.kvdb.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.nativecalls.NativeCalls;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Changes of names that are applied while their sync is still under way. */
class UnpublishedNamesTest {
  @TempDir Path directory;

  private final CountDownLatch syncing = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);
  private volatile Thread held;
  private Engine engine;

  @BeforeEach
  void open() {
    NativeCalls calls =
        WatchedCalls.of(
            NativeCalls.system(),
            (name, arguments) -> {
              if (name.equals("flush") && Thread.currentThread() == held) {
                syncing.countDown();
                awaitQuietly(goOn);
              }
            });
    engine = Engine.open(directory.resolve("db"), EngineOptions.defaults(), calls);
    engine.createTable("first");
  }

  @AfterEach
  void close() {
    goOn.countDown();
    engine.close();
  }

  private Thread hold(Runnable commit) throws InterruptedException {
    Thread thread = new Thread(commit);
    held = thread;
    thread.start();
    assertTrue(syncing.await(20, TimeUnit.SECONDS));
    return thread;
  }

  @Test
  void aTableCreatedByAnotherIsReturnedOnlyWhenThatIsDurable() throws Exception {
    Thread creator = hold(() -> engine.createTable("t"));
    AtomicReference<Throwable> problem = new AtomicReference<>();
    Thread second =
        new Thread(
            () -> {
              try {
                assertEquals(0, engine.count(engine.createTable("t")));
              } catch (RuntimeException | Error e) {
                problem.set(e);
              }
            });
    second.start();
    second.join(300);
    assertTrue(second.isAlive(), () -> "returned before the table was durable: " + problem);
    goOn.countDown();
    second.join();
    creator.join();
    assertEquals(null, problem.get());
  }

  @Test
  void aTableBeingRenamedIsReadMeanwhile() throws Exception {
    EngineTable table = engine.findTable("first");
    engine.put(table, new byte[1], new byte[2], null);
    Thread renaming = hold(() -> engine.renameTable("first", "second"));
    assertArrayEquals(new byte[2], engine.get(table, new byte[1]));
    assertEquals(table, engine.findTable("first"));
    goOn.countDown();
    renaming.join();
    assertArrayEquals(new byte[2], engine.get(table, new byte[1]));
    assertEquals(table, engine.findTable("second"));
  }

  @Test
  void aTableBeingDroppedIsReadUntilThatIsPublished() throws Exception {
    EngineTable table = engine.findTable("first");
    engine.put(table, new byte[1], new byte[2], null);
    EngineSnapshot before = engine.beginSnapshot();
    Thread dropping = hold(() -> engine.dropTable("first"));
    assertArrayEquals(new byte[2], engine.get(table, new byte[1]));
    goOn.countDown();
    dropping.join();
    assertNoTable(() -> engine.get(table, new byte[1]));
    assertArrayEquals(new byte[2], before.get(table, new byte[1]));
    before.close();
    try (EngineSnapshot after = engine.beginSnapshot()) {
      assertNoTable(() -> after.get(table, new byte[1]));
    }
  }

  private static void assertNoTable(Runnable read) {
    EngineException problem = assertThrows(EngineException.class, read::run);
    assertEquals(EngineException.Kind.NO_SUCH_TABLE, problem.kind());
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await(20, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
