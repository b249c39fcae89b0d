package dev.kvdb.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.kvdb.disk.ImageChoice;
import dev.kvdb.disk.Kind;
import dev.kvdb.disk.SimulatedDisk;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class CheckpointFailureTest {
  private static final EngineOptions OPTIONS =
      EngineOptions.defaults()
          .withPoolBytes(1)
          .withLog(1 << 20, 8 << 20, 1 << 20) // no slot is made ready meanwhile
          .withAddressSpaceBytes(1L << 26);

  @Test
  void failedFlushOfThePagesEndsWritingAndLosesNothing() {
    try (SimulatedDisk disk = SimulatedDisk.create()) {
      Path path = disk.directory().resolve("db");
      Engine engine = Engine.open(path, OPTIONS, disk);
      EngineTable table = engine.createTable("t");
      byte[] value = new byte[500];
      for (int i = 0; i < 100; i++) {
        engine.put(table, key(i), value, CommitLevel.FSYNC);
      }
      disk.failCall(1, "EIO", Kind.FLUSH);
      assertKind(EngineException.Kind.WRITES_REFUSED, engine::checkpoint);
      // The disk forgot pages that are clean here: another flush would prove nothing.
      assertKind(EngineException.Kind.WRITES_REFUSED, engine::checkpoint);
      assertKind(
          EngineException.Kind.WRITES_REFUSED,
          () -> engine.put(table, key(0), value, CommitLevel.NONE));
      engine.close();
      try (SimulatedDisk after =
          SimulatedDisk.from(
              disk.cut(
                  disk.operationCount(),
                  new ImageChoice(ImageChoice.Data.NOTHING, ImageChoice.Names.KEPT, 0)))) {
        try (Engine again = Engine.open(after.directory().resolve("db"), OPTIONS, after)) {
          assertEquals(100, again.count(again.findTable("t")));
          assertArrayEquals(value, again.get(again.findTable("t"), key(99)));
        }
      }
    }
  }

  private static byte[] key(int number) {
    return String.format("key%06d", number).getBytes();
  }

  private static void assertKind(EngineException.Kind kind, Runnable action) {
    assertEquals(kind, assertThrows(EngineException.class, action::run).kind());
  }
}
