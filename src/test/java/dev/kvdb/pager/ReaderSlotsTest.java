package dev.kvdb.pager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ReaderSlotsTest {
  private final ReaderSlots slots = new ReaderSlots();

  /** Something that is published, replaced, and freed when nobody can look at it any more. */
  private static final class Thing {
    final long stamp;
    volatile boolean isFreed;

    Thing(long stamp) {
      this.stamp = stamp;
    }
  }

  @Test
  void withoutReadersEverythingIsReleased() {
    assertEquals(Long.MAX_VALUE, slots.raiseEpochAndScan());
    slots.exit(slots.enter());
    assertEquals(Long.MAX_VALUE, slots.raiseEpochAndScan());
  }

  @Test
  void aReaderHoldsWhatWasStampedSinceItEntered() {
    final long before = slots.epoch();
    slots.raiseEpochAndScan();
    final int token = slots.enter();
    final long during = slots.epoch();
    final long oldest = slots.raiseEpochAndScan();
    assertTrue(before < oldest, "stamped before it entered: free");
    assertTrue(during >= oldest, "stamped while it is inside: held");
    final int second = slots.enter();
    slots.exit(token);
    assertTrue(during < slots.raiseEpochAndScan());
    slots.exit(second);
  }

  @Test
  void oneThreadMayBeInsideManyTimes() {
    Set<Integer> tokens = new HashSet<>();
    for (int i = 0; i < 1000; i++) {
      assertTrue(tokens.add(slots.enter()), "a slot was given out twice");
    }
    long epoch = slots.epoch();
    assertEquals(epoch, slots.raiseEpochAndScan());
    tokens.forEach(slots::exit);
    assertEquals(Long.MAX_VALUE, slots.raiseEpochAndScan());
    assertTrue(tokens.contains(slots.enter()), "banks are used again");
  }

  @Test
  void twoHundredThreadsAtOnceHaveASlotEach() throws InterruptedException {
    int threads = 200;
    Set<Integer> tokens = ConcurrentHashMap.newKeySet();
    CountDownLatch inside = new CountDownLatch(threads);
    CountDownLatch leave = new CountDownLatch(1);
    List<Thread> started = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      started.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    int token = slots.enter();
                    tokens.add(token);
                    inside.countDown();
                    awaitQuietly(leave);
                    slots.exit(token);
                  }));
    }
    inside.await();
    assertEquals(threads, tokens.size());
    long stamp = slots.epoch();
    assertTrue(slots.raiseEpochAndScan() <= stamp);
    leave.countDown();
    for (Thread thread : started) {
      thread.join();
    }
    assertEquals(Long.MAX_VALUE, slots.raiseEpochAndScan());
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void nothingIsFreedWhileAReaderLooksAtIt() throws InterruptedException {
    runReaders(3, 1);
  }

  @Test
  void nothingIsFreedWhileReadersFillAndAddBanks() throws InterruptedException {
    runReaders(3, 50);
  }

  /** Readers that enter many times over look at the published thing; the writer replaces it. */
  private void runReaders(int readers, int depth) throws InterruptedException {
    AtomicReference<Thing> published = new AtomicReference<>(new Thing(0));
    AtomicReference<Throwable> failure = new AtomicReference<>();
    CountDownLatch stop = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < readers; i++) {
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      while (stop.getCount() > 0) {
                        look(published, depth);
                      }
                    } catch (Throwable e) {
                      failure.compareAndSet(null, e);
                    }
                  }));
    }
    ArrayDeque<Object[]> limbo = new ArrayDeque<>();
    int freed = 0;
    for (int i = 0; i < 60_000 && failure.get() == null; i++) {
      Thing old = published.getAndSet(new Thing(i));
      limbo.add(new Object[] {old, slots.epoch()});
      long oldest = slots.raiseEpochAndScan();
      while (!limbo.isEmpty() && (long) limbo.peek()[1] < oldest) {
        ((Thing) limbo.poll()[0]).isFreed = true;
        freed++;
      }
    }
    stop.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    assertNull(failure.get());
    assertTrue(freed > 100, "nearly nothing was ever freed: " + freed);
  }

  private void look(AtomicReference<Thing> published, int depth) {
    int token = slots.enter();
    Thing thing = published.get();
    if (depth > 1) {
      look(published, depth - 1);
    }
    for (int i = 0; i < 20; i++) {
      assertTrue(!thing.isFreed, "freed while a reader is inside");
    }
    slots.exit(token);
  }
}
