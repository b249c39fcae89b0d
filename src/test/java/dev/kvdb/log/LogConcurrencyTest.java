package dev.kvdb.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.nativecalls.NativeCalls.FlushLevel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class LogConcurrencyTest {
  private static final int THREADS = 4;
  private static final int COMMITS = 600;

  @TempDir Path directory;

  private final ReentrantLock commitLock = new ReentrantLock();
  private final AtomicBoolean done = new AtomicBoolean();

  /** The newest checkpoint, and how many commits it holds. */
  private LogPosition checkpoint;

  private int checkpointCommits;
  private int releases;
  private int prepared;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatWasAppendedIsReadBack(boolean mapped) throws Exception {
    LogFixture f = new LogFixture(directory).mapped(mapped);
    try (Log log = f.open(1, 1)) {
      checkpoint = log.start();
      ExecutorService threads = Executors.newCachedThreadPool();
      List<Future<?>> writers = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int seed = i;
        writers.add(threads.submit(() -> write(f, log, seed)));
      }
      Future<?> worker = threads.submit((Callable<Void>) () -> work(f, log));
      for (Future<?> writer : writers) {
        writer.get();
      }
      done.set(true);
      worker.get();
      threads.shutdown();
      assertTrue(threads.awaitTermination(10, TimeUnit.SECONDS));
      assertEquals(log.lastLsn(), log.sync(log.lastLsn(), FlushLevel.FULL));
    }
    LogReader reader = f.reader(checkpoint);
    List<LogFixture.Commit> expected = f.appended.subList(checkpointCommits, f.appended.size());
    assertEquals(expected, LogFixture.read(reader));
    assertTrue(reader.summary().unbroken());
    assertEquals(THREADS * COMMITS, f.appended.size());
    assertTrue(releases > 3, "releases: " + releases);
    assertTrue(f.scan().slots().size() < 100, "slots are used again");
  }

  private Void write(LogFixture f, Log log, int seed) {
    Random random = new Random(seed);
    for (int i = 0; i < COMMITS; i++) {
      long lsn;
      commitLock.lock();
      try {
        lsn = f.commit(log, random.nextInt(50) == 0 ? random.nextInt(30_000) : random.nextInt(200));
      } finally {
        commitLock.unlock();
      }
      if (i % 5 == 0) {
        FlushLevel level = FlushLevel.values()[random.nextInt(3)];
        assertTrue(log.sync(lsn, level) >= lsn);
        assertTrue(log.durableLsn() >= lsn, "every flush survives here");
      }
    }
    return null;
  }

  /** What the engine's background thread does: prepare ahead, and a checkpoint now and then. */
  private Void work(LogFixture f, Log log) {
    while (!done.get()) {
      if (log.wantsPrepare()) {
        log.prepareAhead();
        prepared++;
      }
      if (log.bytesSince(checkpoint) > 8 * LogFixture.SLOT_BYTES) {
        LogPosition position;
        int commits;
        commitLock.lock();
        try {
          position = log.position();
          commits = f.appended.size();
        } finally {
          commitLock.unlock();
        }
        log.raiseDurable(position.nextLsn() - 1);
        log.release(position);
        checkpoint = position;
        checkpointCommits = commits;
        releases++;
      }
      Thread.onSpinWait();
    }
    return null;
  }
}
