package dev.kvdb.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kvdb.nativecalls.NativeCalls;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commits that are larger than the pool, and replay of many that are not. */
class SmallPoolTest {
  private static final EngineOptions OPTIONS =
      EngineOptions.defaults()
          .withPoolBytes(1) // 256 frames
          .withLog(64 << 20, 256 << 20, 1 << 20)
          .withAddressSpaceBytes(1L << 28);

  @TempDir Path directory;

  private static byte[] key(int number) {
    return String.format("key%08d", number).getBytes();
  }

  /** Puts so many pages' worth of entries. */
  private static void addPages(OperationBuffer operations, EngineTable table, int pages) {
    for (int i = 0; i < pages * 4; i++) {
      operations.put(table.id(), key(i), new byte[900]);
    }
  }

  @Test
  void oneCommitMakesAndFreesMorePagesThanThePoolHas() {
    try (Engine engine = Engine.open(directory.resolve("db"), OPTIONS, NativeCalls.system())) {
      EngineTable table = engine.createTable("t");
      OperationBuffer operations = new OperationBuffer();
      for (int round = 0; round < 40; round++) {
        addPages(operations, table, 30);
        operations.deleteRange(table.id(), null, null);
      }
      operations.put(table.id(), key(7), key(7));
      engine.write(operations, CommitLevel.NONE);
      assertEquals(1, engine.count(table));
      assertEquals(List.of(), engine.verify().problems());
    }
  }

  @Test
  void whatCommitsOneByOneIsReplayedInOneRow() {
    Path path = directory.resolve("db");
    KilledCalls calls = new KilledCalls();
    Engine engine = Engine.open(path, OPTIONS, calls.calls());
    EngineTable table = engine.createTable("t");
    for (int round = 0; round < 40; round++) {
      OperationBuffer operations = new OperationBuffer();
      addPages(operations, table, 60);
      operations.deleteRange(table.id(), null, null);
      addPages(operations, table, 60);
      operations.deleteRange(table.id(), key(1), null);
      engine.write(operations, CommitLevel.NONE);
    }
    calls.kill(engine);
    try (Engine again = Engine.open(path, OPTIONS, NativeCalls.system())) {
      assertEquals(41, again.replayedCommits());
      assertEquals(1, again.count(again.findTable("t")));
      assertEquals(List.of(), again.verify().problems());
    }
  }
}
