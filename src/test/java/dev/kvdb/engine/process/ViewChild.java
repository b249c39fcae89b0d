package dev.kvdb.engine.process;

import dev.kvdb.engine.Engine;
import dev.kvdb.engine.EngineOptions;
import dev.kvdb.engine.EngineSnapshot;
import dev.kvdb.engine.EngineTable;
import dev.kvdb.nativecalls.NativeCalls;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/**
 * Reads views of values in compiled loops while another thread closes the database, again and
 * again. What the loop must see is an InternalError or an IllegalStateException.
 */
public final class ViewChild {
  private static final int ROUNDS = 30;
  private static final int VIEWS = 64;
  private static volatile long sum;
  private static volatile boolean hot;

  private ViewChild() {}

  public static void main(String[] arguments) throws InterruptedException {
    int touches = 0;
    for (int round = 0; round < ROUNDS; round++) {
      touches += closeUnderViews(Path.of(arguments[0]));
    }
    System.out.println("touches after close: " + touches);
    if (touches != ROUNDS * (VIEWS + 1)) {
      System.exit(1);
    }
  }

  private static int closeUnderViews(Path path) throws InterruptedException {
    Engine engine =
        Engine.open(
            path, EngineOptions.defaults().withAddressSpaceBytes(1L << 30), NativeCalls.system());
    EngineTable table = engine.findTable("t");
    hot = false;
    Thread closer =
        new Thread(
            () -> {
              while (!hot) {
                Thread.onSpinWait();
              }
              engine.close();
            });
    closer.start();
    int errors = 0;
    try (EngineSnapshot snapshot = engine.beginSnapshot()) {
      MemorySegment[] views = new MemorySegment[VIEWS];
      for (int i = 0; i < VIEWS; i++) {
        views[i] = snapshot.view(table, String.format("key%07d", i * 50).getBytes());
      }
      errors += readUntilRefused(views);
      closer.join();
      for (MemorySegment view : views) {
        errors += isRefused(view) ? 1 : 0;
      }
    }
    return errors;
  }

  private static int readUntilRefused(MemorySegment[] views) {
    try {
      for (long i = 0; ; i++) {
        sum += add(views);
        if (i == 2000) {
          hot = true;
        }
      }
    } catch (InternalError | IllegalStateException refused) {
      return 1;
    }
  }

  private static boolean isRefused(MemorySegment view) {
    try {
      sum += add(new MemorySegment[] {view});
      sum += add(new MemorySegment[] {view});
      return false;
    } catch (InternalError | IllegalStateException refused) {
      return true;
    }
  }

  private static long add(MemorySegment[] views) {
    long total = 0;
    for (MemorySegment view : views) {
      for (long at = 0; at < view.byteSize(); at++) {
        total += view.get(ValueLayout.JAVA_BYTE, at);
      }
    }
    return total;
  }
}
