package dev.kvdb.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.nativecalls.NativeCalls;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OpeningTest {
  private static final EngineOptions OPTIONS =
      EngineOptions.defaults().withLog(1 << 20, 8 << 20, 1 << 20);
  private static final int[] META_PAGES = {0, 16};
  private static final int[] MAP_PAGES = {1, 2};

  @TempDir Path directory;

  private static void damage(Path path, int page) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.seek(page * 4096L + 48);
      file.write(new byte[] {-1, -2, -3, -4, -5, -6, -7, -8});
    }
  }

  private Path makeDatabase(int entries) {
    Path path = directory.resolve("db");
    try (Engine engine = Engine.open(path, OPTIONS, NativeCalls.system())) {
      EngineTable table = engine.createTable("t");
      for (int i = 0; i < entries; i++) {
        engine.put(table, ("key" + i).getBytes(), new byte[900], CommitLevel.NONE);
      }
    }
    return path;
  }

  @Test
  void aFileLargerThanTheAddressSpaceIsRefusedByThatName() {
    Path path = makeDatabase(1000);
    EngineException refused =
        assertThrows(
            EngineException.class,
            () -> Engine.open(path, OPTIONS.withAddressSpaceBytes(1 << 20), NativeCalls.system()));
    assertEquals(EngineException.Kind.LIMIT, refused.kind());
    assertTrue(refused.getMessage().contains("addressSpaceBytes"), refused.getMessage());
  }

  @Test
  void aCloseBehindARecoveryLeavesTwoMetasThatNeedNoLog() throws IOException {
    Path path = directory.resolve("db");
    KilledCalls calls = new KilledCalls();
    Engine engine = Engine.open(path, OPTIONS, calls.calls());
    engine.put(engine.createTable("t"), new byte[1], new byte[2], CommitLevel.FSYNC);
    calls.kill(engine);
    Engine.open(path, OPTIONS, NativeCalls.system()).close();
    byte[] whole = Files.readAllBytes(path);
    for (int page : META_PAGES) {
      Files.write(path, whole);
      damage(path, page);
      try (Engine again = Engine.open(path, OPTIONS, NativeCalls.system())) {
        assertArrayEquals(new byte[2], again.get(again.findTable("t"), new byte[1]));
      }
    }
  }

  @Test
  void aStateWithoutItsSpaceMapIsNotTakenForWhole() throws IOException {
    Path path = makeDatabase(10);
    damage(path, META_PAGES[1]);
    damage(path, MAP_PAGES[0]);
    damage(path, MAP_PAGES[1]);
    byte[] before = Files.readAllBytes(path);
    EngineException refused =
        assertThrows(EngineException.class, () -> Engine.open(path, OPTIONS, NativeCalls.system()));
    assertEquals(EngineException.Kind.CORRUPT, refused.kind());
    assertArrayEquals(before, Files.readAllBytes(path));
  }
}
