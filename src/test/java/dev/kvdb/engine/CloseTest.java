package dev.kvdb.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.engine.EngineException.Kind;
import dev.kvdb.engine.process.ChildJvm;
import dev.kvdb.engine.process.ViewChild;
import dev.kvdb.nativecalls.NativeCallException;
import dev.kvdb.nativecalls.NativeCalls;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Closing while others are at work: they get one kind of exception, nothing crashes or stays. */
@Timeout(120)
class CloseTest {
  private static final int KEYS = 4000;
  private static final int ROUNDS = Boolean.getBoolean("kvdb.long") ? 200 : 12;

  @TempDir Path directory;

  private final long seed = Long.getLong("kvdb.seed", System.nanoTime() & 0xFFFFFF);

  private Path path() {
    return directory.resolve("database");
  }

  private static EngineOptions options(CommitLevel level) {
    return EngineOptions.defaults()
        .withPoolBytes(1)
        .withLog(256 << 10, 1 << 20, 64 << 10)
        .withDeadBytesTrigger(1 << 20)
        .withAddressSpaceBytes(1L << 30)
        .withCommitLevel(level);
  }

  private static byte[] key(int number) {
    return String.format("key%07d", number).getBytes();
  }

  private static byte[] value(int number) {
    byte[] value = new byte[100];
    new Random(number).nextBytes(value);
    return value;
  }

  private static void fill(Engine engine, EngineTable table) {
    OperationBuffer batch = new OperationBuffer();
    for (int i = 0; i < KEYS; i++) {
      batch.put(table.id(), key(i), value(i));
    }
    engine.write(batch, null);
  }

  // ------------------------------------------------------------------ what is left

  private List<String> openDescriptors() throws IOException {
    List<String> found = new ArrayList<>();
    try (Stream<Path> links = Files.list(Path.of("/proc/self/fd"))) {
      for (Path link : links.toList()) {
        try {
          String target = Files.readSymbolicLink(link).toString();
          if (target.startsWith(directory.toString())) {
            found.add(target);
          }
        } catch (IOException gone) {
          assertFalse(Files.exists(link), gone.toString());
        }
      }
    }
    return found;
  }

  private List<String> mappings() throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
      return lines.filter(line -> line.contains(directory.toString())).toList();
    }
  }

  private List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("kvdb-") && name.contains(directory.toString()))
        .toList();
  }

  private void assertNothingIsLeft() throws IOException {
    assertEquals(List.of(), openDescriptors(), "descriptors");
    assertEquals(List.of(), mappings(), "mappings");
    assertEquals(List.of(), threads(), "threads");
  }

  @Test
  void nothingIsLeftAfterClose() throws Exception {
    for (CommitLevel level : List.of(CommitLevel.NONE, CommitLevel.FSYNC)) {
      Engine engine = Engine.open(path(), options(level), NativeCalls.system());
      EngineTable table = engine.createTable("t");
      fill(engine, table);
      Thread.ofVirtual().start(() -> engine.put(table, key(1), value(1), CommitLevel.FULL)).join();
      engine.checkpoint();
      fill(engine, table);
      assertFalse(openDescriptors().isEmpty());
      assertFalse(mappings().isEmpty());
      assertFalse(threads().isEmpty());
      engine.close();
      engine.close();
      assertNothingIsLeft();
      try (Stream<Path> files = Files.list(directory)) {
        assertEquals(List.of(path()), files.toList(), "files");
      }
    }
  }

  @Test
  void nothingIsLeftAfterAnOpenThatFails() throws IOException {
    assertEquals(Kind.NOT_FOUND, kindOf(() -> open(EngineOptions.defaults().withCreate(false))));
    Files.write(path(), new byte[1 << 20]);
    assertEquals(Kind.UNSUPPORTED, kindOf(() -> open(EngineOptions.defaults())));
    assertNothingIsLeft();
  }

  private Engine open(EngineOptions options) {
    return Engine.open(path(), options, NativeCalls.system());
  }

  private static Kind kindOf(Runnable action) {
    return assertThrows(EngineException.class, action::run).kind();
  }

  @Test
  void everyOperationOfAClosedDatabaseSaysSo() {
    Engine engine = open(options(CommitLevel.NONE));
    EngineTable table = engine.createTable("t");
    fill(engine, table);
    EngineSnapshot snapshot = engine.beginSnapshot();
    EngineCursor cursor = snapshot.cursor(table);
    assertTrue(cursor.next());
    engine.close();
    Map<String, Runnable> operations =
        Map.ofEntries(
            Map.entry("get", () -> engine.get(table, key(1))),
            Map.entry("contains", () -> engine.contains(table, key(1))),
            Map.entry("count", () -> engine.count(table)),
            Map.entry("put", () -> engine.put(table, key(1), value(1), null)),
            Map.entry("delete", () -> engine.delete(table, key(1), null)),
            Map.entry("deleteRange", () -> engine.deleteRange(table, null, null, null)),
            Map.entry("createTable", () -> engine.createTable("u")),
            Map.entry("findTable", () -> engine.findTable("t")),
            Map.entry("dropTable", () -> engine.dropTable("t")),
            Map.entry("renameTable", () -> engine.renameTable("t", "u")),
            Map.entry("tables", engine::tables),
            Map.entry("beginSnapshot", engine::beginSnapshot),
            Map.entry("checkpoint", engine::checkpoint),
            Map.entry("verify", engine::verify),
            Map.entry("details", () -> engine.details(table)),
            Map.entry("stats", engine::stats),
            Map.entry("snapshot get", () -> snapshot.get(table, key(1))),
            Map.entry("snapshot count", () -> snapshot.count(table)),
            Map.entry("snapshot view", () -> snapshot.view(table, key(1))),
            Map.entry("snapshot cursor", () -> snapshot.cursor(table)),
            Map.entry("cursor next", cursor::next),
            Map.entry("cursor key", cursor::key),
            Map.entry("cursor value", cursor::value),
            Map.entry("cursor value view", cursor::valueView));
    operations.forEach((name, operation) -> assertEquals(Kind.CLOSED, kindOf(operation), name));
    snapshot.close();
    snapshot.close();
    cursor.close();
  }

  // ------------------------------------------------------------------ in the midst of work

  /** A thread that works until the database is closed, and notes anything else it meets. */
  private interface Work {
    void once(Engine engine, EngineTable table, Random random);
  }

  private final AtomicReference<Throwable> unexpected = new AtomicReference<>();
  private final AtomicInteger ended = new AtomicInteger();
  private final Map<String, Boolean> acknowledged = new ConcurrentHashMap<>();

  private Runnable untilClosed(
      Engine engine, EngineTable table, CountDownLatch started, long workSeed, Work work) {
    return () -> {
      Random random = new Random(workSeed);
      started.countDown();
      try {
        while (true) {
          work.once(engine, table, random);
        }
      } catch (EngineException problem) {
        if (problem.kind() != Kind.CLOSED) {
          unexpected.compareAndSet(null, problem);
        }
      } catch (Throwable problem) {
        unexpected.compareAndSet(null, problem);
      }
      ended.incrementAndGet();
    };
  }

  private void write(Engine engine, EngineTable table, Random random, CommitLevel level) {
    String key = "new" + random.nextLong();
    engine.put(table, key.getBytes(), key.getBytes(), level);
    acknowledged.put(key, true);
  }

  private static void get(Engine engine, EngineTable table, Random random) {
    int number = random.nextInt(KEYS);
    assertArrayEquals(value(number), engine.get(table, key(number)));
  }

  private static void scan(Engine engine, EngineTable table, Random random) {
    try (EngineSnapshot snapshot = engine.beginSnapshot();
        EngineCursor cursor = snapshot.cursor(table)) {
      int number = random.nextInt(KEYS);
      assertTrue(cursor.seekAtLeast(key(number)));
      for (int i = number; i < Math.min(KEYS, number + 500); i++) {
        assertArrayEquals(key(i), cursor.key());
        assertArrayEquals(value(i), cursor.value());
        assertEquals(100, cursor.valueLength());
        assertEquals(value(i)[7], cursor.valueView().get(ValueLayout.JAVA_BYTE, 7));
        cursor.next();
      }
    } catch (IllegalStateException closedUnderAView) {
      // A view that the caller holds is memory; the database cannot translate its exceptions.
      if (closedUnderAView.getStackTrace()[0].getClassName().startsWith("dev.kvdb")) {
        throw closedUnderAView;
      }
      engine.stats();
    }
  }

  @Test
  void everybodyAtWorkIsToldThatItWasClosed() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      try {
        closeInTheMidst(round);
      } catch (Throwable problem) {
        throw new AssertionError("seed " + seed + ", round " + round + ": " + problem, problem);
      }
    }
  }

  private void closeInTheMidst(int round) throws Exception {
    Random random = new Random(seed + round);
    CommitLevel level = round % 2 == 0 ? CommitLevel.NONE : CommitLevel.FSYNC;
    Engine engine = open(options(level));
    EngineTable table = engine.createTable("t");
    fill(engine, table);
    engine.checkpoint();
    ended.set(0);
    List<Work> work =
        List.of(
            CloseTest::get,
            CloseTest::scan,
            (e, t, r) -> write(e, t, r, CommitLevel.NONE),
            (e, t, r) -> write(e, t, r, CommitLevel.NONE),
            (e, t, r) -> write(e, t, r, CommitLevel.FSYNC),
            (e, t, r) -> e.checkpoint(),
            (e, t, r) -> e.stats(),
            (e, t, r) -> e.details(t),
            (e, t, r) -> assertEquals(List.of(), e.verify().problems()));
    List<Thread> threads = new ArrayList<>();
    CountDownLatch started = new CountDownLatch(work.size() + 20);
    for (int i = 0; i < work.size(); i++) {
      Runnable task = untilClosed(engine, table, started, seed + i, work.get(i));
      threads.add(Thread.ofPlatform().start(task));
    }
    for (int i = 0; i < 20; i++) {
      CommitLevel commitLevel = i % 2 == 0 ? CommitLevel.NONE : CommitLevel.FSYNC;
      Runnable task =
          untilClosed(
              engine, table, started, seed + 100 + i, (e, t, r) -> write(e, t, r, commitLevel));
      threads.add(Thread.ofVirtual().start(task));
    }
    started.await();
    Thread.sleep(random.nextInt(250));
    Thread other = Thread.ofPlatform().start(engine::close);
    engine.close();
    other.join();
    assertEquals(List.of(), threads());
    for (Thread thread : threads) {
      thread.join();
    }
    if (unexpected.get() != null) {
      throw new AssertionError(unexpected.get());
    }
    assertEquals(threads.size(), ended.get());
    assertNothingIsLeft();
    requireAcknowledged();
  }

  private void requireAcknowledged() {
    try (Engine engine = open(options(CommitLevel.NONE))) {
      assertEquals(0, engine.replayedCommits(), "a clean close leaves nothing to replay");
      EngineTable table = engine.findTable("t");
      for (String key : acknowledged.keySet()) {
        assertArrayEquals(key.getBytes(), engine.get(table, key.getBytes()), key);
      }
      assertEquals(List.of(), engine.verify().problems());
    }
  }

  // ------------------------------------------------------------------ failures

  @Test
  void aCloseAfterAFailedCheckpointReportsItAndLosesNothing() throws IOException {
    AtomicBoolean full = new AtomicBoolean();
    NativeCalls calls =
        CallHook.around(
            NativeCalls.system(),
            (method, arguments) -> {
              if (full.get() && method.equals("write")) {
                throw new NativeCallException("pwrite", "test", 28, "ENOSPC", "no space");
              }
            });
    // No checkpoint but the ones asked for: a failure within a meta page would be another matter.
    EngineOptions unhurried = EngineOptions.defaults().withCommitLevel(CommitLevel.NONE);
    Engine engine = Engine.open(path(), unhurried, calls);
    EngineTable table = engine.createTable("t");
    fill(engine, table);
    full.set(true);
    assertEquals(Kind.OUT_OF_SPACE, kindOf(engine::checkpoint));
    engine.put(table, key(1), value(2), null);
    assertEquals(Kind.OUT_OF_SPACE, kindOf(engine::close));
    engine.close();
    assertNothingIsLeft();
    try (Engine again = open(unhurried)) {
      assertEquals(3, again.replayedCommits());
      assertArrayEquals(value(2), again.get(again.findTable("t"), key(1)));
      assertEquals(KEYS, again.count(again.findTable("t")));
    }
  }

  /** The descriptor would be closed, and perhaps be another file's, while pages are written. */
  @Test
  void aCloseWaitsForACheckpointOfAnotherThreadAlsoAfterAFailure() throws Exception {
    AtomicBoolean failing = new AtomicBoolean();
    AtomicBoolean holding = new AtomicBoolean();
    AtomicBoolean closed = new AtomicBoolean();
    AtomicReference<String> late = new AtomicReference<>();
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    NativeCalls calls =
        CallHook.around(
            NativeCalls.system(),
            (method, arguments) -> {
              if (method.equals("write") && holding.get() && !failing.get()) {
                held.countDown();
                await(goOn);
              } else if (method.equals("flush") && failing.get()) {
                throw new NativeCallException("fdatasync", "test", 5, "EIO", "input/output error");
              }
              if (closed.get() && arguments[0] instanceof Integer) {
                late.compareAndSet(null, method);
              }
            });
    Engine engine = Engine.open(path(), EngineOptions.defaults(), calls);
    EngineTable table = engine.createTable("t");
    fill(engine, table);
    holding.set(true);
    Thread checkpoint =
        Thread.ofPlatform().start(() -> assertThrows(EngineException.class, engine::checkpoint));
    held.await();
    failing.set(true);
    assertEquals(
        Kind.WRITES_REFUSED, kindOf(() -> engine.put(table, key(1), value(1), CommitLevel.FSYNC)));
    Thread close =
        Thread.ofPlatform()
            .start(
                () -> {
                  engine.close();
                  closed.set(true);
                });
    close.join(300);
    assertTrue(close.isAlive(), "closed in the midst of a checkpoint");
    goOn.countDown();
    close.join();
    checkpoint.join();
    assertNull(late.get());
    assertNothingIsLeft();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  // ------------------------------------------------------------------ views

  @Test
  void aViewHeldAfterCloseIsAnErrorAndItsEndGivesTheMemoryBack() throws IOException {
    try (Engine engine = open(options(CommitLevel.NONE))) {
      fill(engine, engine.createTable("t"));
    }
    Engine engine = open(options(CommitLevel.NONE));
    EngineSnapshot snapshot = engine.beginSnapshot();
    EngineSnapshot other = engine.beginSnapshot();
    EngineTable table = engine.findTable("t");
    MemorySegment view = snapshot.view(table, key(1));
    MemorySegment otherView = other.view(table, key(2));
    assertEquals(value(1)[3], view.get(ValueLayout.JAVA_BYTE, 3));
    engine.close();
    assertEquals(List.of(), openDescriptors());
    assertThrows(InternalError.class, () -> view.get(ValueLayout.JAVA_BYTE, 3));
    assertEquals(1, mappings().size(), mappings().toString());
    snapshot.close();
    assertThrows(IllegalStateException.class, () -> view.get(ValueLayout.JAVA_BYTE, 3));
    assertThrows(InternalError.class, () -> otherView.get(ValueLayout.JAVA_BYTE, 3));
    assertEquals(1, mappings().size());
    other.close();
    assertNothingIsLeft();
    try (Stream<Path> files = Files.list(directory)) {
      assertEquals(List.of(path()), files.toList(), "files");
    }
  }

  /** Compiled code, in a process of its own: what must not happen is the death of the JVM. */
  @Test
  void aHotLoopOverAViewSurvivesTheClose() throws Exception {
    try (Engine engine = open(options(CommitLevel.NONE))) {
      fill(engine, engine.createTable("t"));
    }
    try (ChildJvm child =
        ChildJvm.start(directory, List.of(), ViewChild.class, path().toString())) {
      String output = new String(child.output().readAllBytes());
      assertEquals(0, child.await(), output + child.errors());
      assertTrue(output.contains("touches after close: "), output);
    }
  }
}
