package dev.kvdb.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kvdb.nativecalls.NativeCalls;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Memory and disk under pressure: the pool, dead pages, the file's length, many tables. */
@Timeout(120)
class ReuseTest {
  private static final long MIB = 1 << 20;

  @TempDir Path directory;

  private Engine open(EngineOptions options) {
    return Engine.open(directory.resolve("database"), options, NativeCalls.system());
  }

  private static EngineOptions smallPool() {
    return EngineOptions.defaults()
        .withPoolBytes(1)
        .withAddressSpaceBytes(1L << 32)
        .withCommitLevel(CommitLevel.NONE);
  }

  private static byte[] key(int number) {
    return String.format("key%09d", number).getBytes();
  }

  private static byte[] value(int number, int length) {
    byte[] value = new byte[length];
    new Random(number).nextBytes(value);
    return value;
  }

  private static void verify(Engine engine) {
    assertEquals(List.of(), engine.verify().problems());
  }

  @Test
  void aBatchThatDeletesWhatItPutNeedsNoMoreFramesThanThePoolHas() {
    try (Engine engine = open(smallPool())) {
      EngineTable table = engine.createTable("t");
      OperationBuffer batch = new OperationBuffer();
      for (int round = 0; round < 8; round++) {
        for (int i = 0; i < 1000; i++) {
          batch.put(table.id(), key(i), value(i, 500));
        }
        batch.deleteRange(table.id(), null, null);
      }
      batch.put(table.id(), key(7), value(7, 10));
      engine.write(batch, null);
      assertEquals(1, engine.count(table));
      verify(engine);
    }
  }
}
