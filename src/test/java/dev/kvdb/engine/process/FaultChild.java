package dev.kvdb.engine.process;

import dev.kvdb.engine.Engine;
import dev.kvdb.engine.EngineCursor;
import dev.kvdb.engine.EngineException;
import dev.kvdb.engine.EngineException.Kind;
import dev.kvdb.engine.EngineOptions;
import dev.kvdb.engine.EngineSnapshot;
import dev.kvdb.engine.EngineTable;
import dev.kvdb.nativecalls.NativeCalls;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Takes the file away under a database whose code is compiled and hot. Each read has to be right or
 * an exception; the JVM has to live.
 */
public final class FaultChild {
  static final int KEYS = 20_000;
  static final int PUT_BYTES = 100;

  private static final int PAGE_BYTES = 4096;
  private static final int WARM_UP_MILLIS = 800;
  private static final int CUTS = 30;
  private static final int READS_AFTER_CUT = 40;

  /** One read of the entry with a number; throws an AssertionError if the answer is wrong. */
  private interface Read {
    void of(int number);
  }

  private final Engine engine;
  private final EngineTable table;
  private final FileChannel file;
  private final byte[] original;
  private int faults;
  private int rightAnswers;

  private FaultChild(Path path) throws IOException {
    original = Files.readAllBytes(path);
    engine =
        Engine.open(
            path,
            EngineOptions.defaults()
                .withReadOnly(true)
                .withPoolBytes(1)
                .withAddressSpaceBytes(1L << 30),
            NativeCalls.system());
    table = engine.findTable("t");
    file = FileChannel.open(path, StandardOpenOption.WRITE);
  }

  static byte[] key(int number) {
    return String.format("key%08d", number).getBytes();
  }

  static byte[] value(int number) {
    byte[] value = new byte[PUT_BYTES];
    new Random(number).nextBytes(value);
    return value;
  }

  /** Arguments: get, into, cursor, view, log or lost; path. */
  public static void main(String[] arguments) throws Exception {
    Path path = Path.of(arguments[1]);
    if (arguments[0].equals("log")) {
      LogFaultChild.cutBehindTheEnd(path);
    } else if (arguments[0].equals("lost")) {
      LogFaultChild.cutBeforeTheEnd(path);
    } else {
      new FaultChild(path).cutAndRead(arguments[0]);
    }
  }

  private void cutAndRead(String mode) throws Exception {
    EngineSnapshot snapshot = engine.beginSnapshot();
    EngineCursor cursor = snapshot.cursor(table);
    MemorySegment target = MemorySegment.ofArray(new byte[PUT_BYTES]);
    Read read =
        switch (mode) {
          case "get" -> number -> require(number, engine.get(table, key(number)));
          case "into" ->
              number -> {
                engine.get(table, key(number), target);
                require(number, target.toArray(ValueLayout.JAVA_BYTE));
              };
          case "cursor" -> number -> scan(cursor, number);
          case "view" ->
              number ->
                  require(number, snapshot.view(table, key(number)).toArray(ValueLayout.JAVA_BYTE));
          default -> throw new IllegalArgumentException(mode);
        };
    Random random = new Random(42);
    long end = System.nanoTime() + WARM_UP_MILLIS * 1_000_000L;
    int warmUp = 0;
    while (System.nanoTime() < end || warmUp < 50_000) {
      read.of(random.nextInt(KEYS));
      warmUp++;
    }
    for (int cut = 0; cut < CUTS; cut++) {
      file.truncate(cut % 3 == 0 ? 0 : (long) random.nextInt(original.length / PAGE_BYTES) << 12);
      for (int i = 0; i < READS_AFTER_CUT; i++) {
        readOnce(read, random.nextInt(KEYS));
      }
      restore();
      for (int i = 0; i < 1000; i++) {
        read.of(random.nextInt(KEYS));
      }
    }
    int concurrent = cutWhileReading(random);
    System.out.println(
        mode
            + ": "
            + warmUp
            + " reads before, "
            + faults
            + " faults, "
            + rightAnswers
            + " right answers from what was left, "
            + concurrent
            + " faults of a concurrent reader");
    if (faults < CUTS * READS_AFTER_CUT / 10 || concurrent == 0) {
      System.exit(1);
    }
  }

  private void readOnce(Read read, int number) {
    try {
      read.of(number);
      rightAnswers++;
    } catch (EngineException problem) {
      requireFault(problem);
      faults++;
    } catch (InternalError userTouchOfAView) {
      // The user's own copy out of a view of mapped memory: an error too, not a wrong value.
      faults++;
    }
  }

  private static void requireFault(EngineException problem) {
    if (problem.kind() != Kind.CORRUPT && problem.kind() != Kind.IO) {
      throw problem;
    }
  }

  private void restore() throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(original);
    file.position(0);
    while (bytes.hasRemaining()) {
      bytes.limit(Math.min(original.length, bytes.position() + (1 << 16)));
      file.write(bytes);
      bytes.limit(original.length);
    }
  }

  /** The reader does not know when the file is cut. */
  private int cutWhileReading(Random random) throws Exception {
    AtomicInteger concurrentFaults = new AtomicInteger();
    Throwable[] failure = new Throwable[1];
    boolean[] stop = new boolean[1];
    Thread reader =
        new Thread(
            () -> {
              Random numbers = new Random(7);
              while (!isSet(stop)) {
                int number = numbers.nextInt(KEYS);
                try {
                  require(number, engine.get(table, key(number)));
                } catch (EngineException problem) {
                  requireFault(problem);
                  concurrentFaults.incrementAndGet();
                }
              }
            });
    reader.setUncaughtExceptionHandler((thread, problem) -> failure[0] = problem);
    reader.start();
    for (int i = 0; i < 50 && reader.isAlive(); i++) {
      file.truncate((long) random.nextInt(original.length / PAGE_BYTES) << 12);
      Thread.sleep(2);
      restore();
      Thread.sleep(2);
    }
    synchronized (stop) {
      stop[0] = true;
    }
    reader.join();
    if (failure[0] != null) {
      throw new AssertionError(failure[0]);
    }
    return concurrentFaults.get();
  }

  private static boolean isSet(boolean[] flag) {
    synchronized (flag) {
      return flag[0];
    }
  }

  private static void scan(EngineCursor cursor, int number) {
    if (!cursor.seekAtLeast(key(number))) {
      throw new AssertionError("nothing at " + number);
    }
    for (int i = number; i < Math.min(KEYS, number + 20); i++) {
      if (!Arrays.equals(key(i), cursor.key())) {
        throw new AssertionError("wrong key at " + i);
      }
      require(i, cursor.value());
      if (!cursor.next() && i + 1 < KEYS) {
        throw new AssertionError("the end at " + i);
      }
    }
  }

  private static void require(int number, byte[] found) {
    if (!Arrays.equals(value(number), found)) {
      throw new AssertionError("wrong value of " + number + ": " + Arrays.toString(found));
    }
  }
}
