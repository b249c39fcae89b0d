package dev.kvdb.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.nativecalls.NativeCalls;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Readers, snapshots, writers and checkpoints at the same time, with the smallest pool. */
@Timeout(120)
class ConcurrencyTest {
  private static final boolean LONG = Boolean.getBoolean("kvdb.long");
  private static final long MILLIS = LONG ? 60_000 : 4_000;
  private static final int ACCOUNTS = 3000;
  private static final long START = 1000;
  private static final int PADDING = 120;

  @TempDir Path directory;

  private final long seed = Long.getLong("kvdb.seed", System.nanoTime() & 0xFFFFFF);
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final AtomicBoolean stop = new AtomicBoolean();
  private final AtomicLong transfers = new AtomicLong();
  private final AtomicLong snapshots = new AtomicLong();
  private final AtomicLong gets = new AtomicLong();
  private final AtomicLong verifies = new AtomicLong();

  private Engine open(EngineOptions options) {
    return Engine.open(directory.resolve("database"), options, NativeCalls.system());
  }

  private static EngineOptions smallest(CommitLevel level) {
    return EngineOptions.defaults()
        .withPoolBytes(1)
        .withLog(256 << 10, 1 << 20, 64 << 10)
        .withDeadBytesTrigger(1 << 20)
        .withAddressSpaceBytes(1L << 30)
        .withCommitLevel(level);
  }

  private static byte[] account(int number) {
    return String.format("account%06d", number).getBytes();
  }

  /** A balance, a stamp that every account of one transfer shares, and padding made of it. */
  private static byte[] state(long balance, long stamp) {
    byte[] state = new byte[2 * Long.BYTES + PADDING];
    ByteBuffer.wrap(state).putLong(balance).putLong(stamp);
    for (int i = 2 * Long.BYTES; i < state.length; i++) {
      state[i] = (byte) (stamp + i);
    }
    return state;
  }

  private static long balance(byte[] state) {
    long stamp = ByteBuffer.wrap(state).getLong(Long.BYTES);
    for (int i = 2 * Long.BYTES; i < state.length; i++) {
      assertEquals((byte) (stamp + i), state[i], "torn value");
    }
    return ByteBuffer.wrap(state).getLong();
  }

  private Thread start(String name, Runnable once) {
    return Thread.ofPlatform()
        .name(name)
        .start(
            () -> {
              try {
                while (!stop.get() && failure.get() == null) {
                  once.run();
                }
              } catch (Throwable problem) {
                failure.compareAndSet(null, problem);
              }
            });
  }

  // ------------------------------------------------------------------ a bank

  @Test
  void snapshotsAreConstantAndBatchesWhole() throws Exception {
    for (CommitLevel level : List.of(CommitLevel.NONE, CommitLevel.FSYNC)) {
      bank(level);
    }
  }

  private void bank(CommitLevel level) throws Exception {
    stop.set(false);
    String summary;
    try (Engine engine = open(smallest(level))) {
      EngineTable bank = engine.createTable("bank " + level);
      EngineTable pairs = engine.createTable("pairs " + level);
      OperationBuffer first = new OperationBuffer();
      for (int i = 0; i < ACCOUNTS; i++) {
        first.put(bank.id(), account(i), state(START, 0));
        first.put(pairs.id(), account(i), state(0, 0));
      }
      engine.write(first, null);
      List<Thread> threads = new ArrayList<>();
      // A writer of its own half each, so that the balances it reads are not another's to change.
      for (int writer = 0; writer < 2; writer++) {
        int half = writer;
        Random random = new Random(seed + writer);
        threads.add(
            start("writer " + writer, () -> transfer(engine, bank, pairs, half, random, level)));
      }
      for (int reader = 0; reader < 2; reader++) {
        Random random = new Random(seed + 10 + reader);
        threads.add(start("snapshots " + reader, () -> snapshot(engine, bank, pairs, random)));
        threads.add(start("gets " + reader, () -> get(engine, bank, pairs, random)));
      }
      threads.add(start("checkpoints", engine::checkpoint));
      threads.add(start("verify", () -> verify(engine)));
      Thread.sleep(MILLIS / 2);
      stop.set(true);
      for (Thread thread : threads) {
        thread.join();
      }
      if (failure.get() != null) {
        throw new AssertionError("seed " + seed + ": " + failure.get(), failure.get());
      }
      verify(engine);
      EngineStats stats = engine.stats();
      summary =
          String.format(
              "%d transfers, %d snapshots, %d gets, %d verifications, %d checkpoints, %d evictions",
              transfers.get(),
              snapshots.get(),
              gets.get(),
              verifies.get(),
              stats.checkpoints(),
              stats.evictions());
      assertEquals(0, stats.openSnapshots());
      assertTrue(stats.checkpoints() > 0 && stats.evictions() > 0, summary);
    }
    System.out.println("concurrency at " + level + " (seed " + seed + "): " + summary);
    assertTrue(transfers.get() > 0 && snapshots.get() > 0 && verifies.get() > 0, summary);
  }

  /** Moves money between accounts of one half, and stamps a pair in both tables, in one batch. */
  private void transfer(
      Engine engine,
      EngineTable bank,
      EngineTable pairs,
      int half,
      Random random,
      CommitLevel level) {
    int from = half * (ACCOUNTS / 2) + random.nextInt(ACCOUNTS / 2);
    int to = half * (ACCOUNTS / 2) + random.nextInt(ACCOUNTS / 2);
    if (from == to) {
      return;
    }
    long stamp = random.nextLong();
    long amount = random.nextInt(100);
    OperationBuffer batch = new OperationBuffer();
    long balanceFrom = balance(engine.get(bank, account(from)));
    long balanceTo = balance(engine.get(bank, account(to)));
    // Deleted and put again: a reader must see the account all the same.
    batch.delete(bank.id(), account(from));
    batch.put(bank.id(), account(to), state(balanceTo + amount, stamp));
    batch.put(bank.id(), account(from), state(balanceFrom - amount, stamp));
    batch.put(pairs.id(), account(from), state(0, stamp));
    batch.put(pairs.id(), account(to), state(0, stamp));
    engine.write(batch, random.nextInt(50) == 0 ? level : CommitLevel.NONE);
    assertEquals(balanceFrom - amount, balance(engine.get(bank, account(from))), "own write");
    transfers.incrementAndGet();
  }

  private void snapshot(Engine engine, EngineTable bank, EngineTable pairs, Random random) {
    try (EngineSnapshot snapshot = engine.beginSnapshot()) {
      long sum = sum(snapshot, bank);
      assertEquals(ACCOUNTS * START, sum, "money was made or lost");
      int number = random.nextInt(ACCOUNTS);
      byte[] state = snapshot.get(bank, account(number));
      // The pair of an account bears the stamp of its newest transfer.
      assertEquals(
          ByteBuffer.wrap(state).getLong(Long.BYTES),
          ByteBuffer.wrap(snapshot.get(pairs, account(number))).getLong(Long.BYTES),
          "half a batch");
      Thread.sleep(random.nextInt(30));
      assertArrayEquals(state, snapshot.get(bank, account(number)), "the snapshot has changed");
      assertEquals(sum, sum(snapshot, bank), "the snapshot has changed");
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    snapshots.incrementAndGet();
  }

  private static long sum(EngineSnapshot snapshot, EngineTable bank) {
    long sum = 0;
    int count = 0;
    try (EngineCursor cursor = snapshot.cursor(bank)) {
      while (cursor.next()) {
        assertArrayEquals(account(count), cursor.key());
        sum += balance(cursor.value());
        count++;
      }
    }
    assertEquals(ACCOUNTS, count);
    assertEquals(ACCOUNTS, snapshot.count(bank));
    return sum;
  }

  private void get(Engine engine, EngineTable bank, EngineTable pairs, Random random) {
    for (int i = 0; i < 100; i++) {
      int number = random.nextInt(ACCOUNTS);
      byte[] state = engine.get(bank, account(number));
      assertNotNull(state, "an account was seen between its deletion and its return");
      balance(state);
      assertTrue(engine.contains(pairs, account(number)));
      assertEquals(ACCOUNTS, engine.count(bank));
      gets.incrementAndGet();
    }
  }

  private void verify(Engine engine) {
    assertEquals(List.of(), engine.verify().problems());
    verifies.incrementAndGet();
  }

  // ------------------------------------------------------------------ group commit

  private void runAll(int threads, Runnable task, boolean virtual) throws InterruptedException {
    List<Thread> started = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Runnable guarded =
          () -> {
            try {
              task.run();
            } catch (Throwable problem) {
              failure.compareAndSet(null, problem);
            }
          };
      started.add(virtual ? Thread.ofVirtual().start(guarded) : Thread.ofPlatform().start(guarded));
    }
    for (Thread thread : started) {
      thread.join();
    }
    if (failure.get() != null) {
      throw new AssertionError("seed " + seed + ": " + failure.get(), failure.get());
    }
  }

  @Test
  void commitsOfManyThreadsShareSyncs() throws Exception {
    try (Engine engine = open(EngineOptions.defaults())) {
      EngineTable table = engine.createTable("t");
      AtomicLong next = new AtomicLong();
      long syncsBefore = engine.stats().syncs();
      runAll(
          8,
          () -> {
            for (int i = 0; i < 200; i++) {
              byte[] key = Long.toString(next.getAndIncrement()).getBytes();
              engine.put(table, key, key, CommitLevel.FSYNC);
              assertArrayEquals(key, engine.get(table, key), "returned before it was published");
            }
          },
          false);
      long syncs = engine.stats().syncs() - syncsBefore;
      System.out.println("group commit: 1600 commits of 8 threads, " + syncs + " syncs");
      assertEquals(1600, engine.count(table));
      assertTrue(syncs > 0 && syncs < 1600, syncs + " syncs");
    }
  }

  @Test
  void aThousandVirtualThreadsCommitDurably() throws Exception {
    try (Engine engine = open(EngineOptions.defaults())) {
      EngineTable table = engine.createTable("t");
      AtomicLong next = new AtomicLong();
      runAll(
          1000,
          () -> {
            byte[] key = Long.toString(next.getAndIncrement()).getBytes();
            engine.put(table, key, key, CommitLevel.FSYNC);
            assertArrayEquals(key, engine.get(table, key));
          },
          true);
      assertEquals(1000, engine.count(table));
      long syncs = engine.stats().syncs();
      assertTrue(syncs < 1000, syncs + " syncs");
    }
  }

  @Test
  void anInterruptedThreadCommitsAndReadsAndStaysInterrupted() throws Exception {
    Engine engine = open(smallest(CommitLevel.FSYNC));
    EngineTable table = engine.createTable("t");
    Thread.currentThread().interrupt();
    try {
      for (CommitLevel level : CommitLevel.values()) {
        byte[] key = level.name().getBytes();
        engine.put(table, key, key, level);
        assertArrayEquals(key, engine.get(table, key));
        assertTrue(Thread.currentThread().isInterrupted(), "at " + level);
      }
      for (int i = 0; i < 4000; i++) {
        engine.put(table, account(i), state(i, i), CommitLevel.NONE);
      }
      engine.checkpoint();
      try (EngineSnapshot snapshot = engine.beginSnapshot()) {
        assertEquals(4004, snapshot.count(table));
        assertTrue(snapshot.cursor(table).first());
      }
      assertEquals(List.of(), engine.verify().problems());
      assertTrue(Thread.currentThread().isInterrupted());
      engine.close();
      assertTrue(Thread.currentThread().isInterrupted());
    } finally {
      Thread.interrupted();
    }
    // Interrupts that hit while others wait for one sync.
    try (Engine again = open(smallest(CommitLevel.FSYNC))) {
      EngineTable found = again.findTable("t");
      assertEquals(4004, again.count(found));
      runAll(
          8,
          () -> {
            for (int i = 0; i < 50; i++) {
              Thread.currentThread().interrupt();
              again.put(found, account(i), state(i, i), CommitLevel.FULL);
              assertTrue(Thread.interrupted());
            }
          },
          false);
    }
  }

  // ------------------------------------------------------------------ nobody waits

  /** The disk stands still in the sync of a checkpoint: reads, figures and commits go on. */
  @Test
  void readersAndFiguresDoNotWaitForACheckpoint() throws Exception {
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    AtomicBoolean holding = new AtomicBoolean();
    NativeCalls calls =
        CallHook.around(
            NativeCalls.system(),
            (method, arguments) -> {
              if (method.equals("flush") && holding.compareAndSet(true, false)) {
                held.countDown();
                try {
                  goOn.await();
                } catch (InterruptedException e) {
                  throw new AssertionError(e);
                }
              }
            });
    EngineOptions options = EngineOptions.defaults().withCommitLevel(CommitLevel.NONE);
    try (Engine engine = Engine.open(directory.resolve("database"), options, calls)) {
      EngineTable table = engine.createTable("t");
      engine.put(table, account(1), state(1, 1), null);
      holding.set(true);
      Thread checkpoint = Thread.ofPlatform().start(engine::checkpoint);
      held.await();
      long checkpointsBefore = engine.stats().checkpoints();
      engine.put(table, account(2), state(2, 2), null);
      assertNotNull(engine.get(table, account(2)));
      try (EngineSnapshot snapshot = engine.beginSnapshot()) {
        assertEquals(2, snapshot.count(table));
      }
      assertTrue(checkpoint.isAlive());
      assertFalse(engine.stats().checkpoints() > checkpointsBefore);
      goOn.countDown();
      checkpoint.join();
      assertEquals(checkpointsBefore + 1, engine.stats().checkpoints());
    } finally {
      goOn.countDown();
    }
  }
}
