package dev.kvdb.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.nativecalls.NativeCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files beside a database whose names look like its own. */
class NeighbourFilesTest {
  @TempDir Path directory;

  private Engine open(String name) {
    return Engine.open(directory.resolve(name), EngineOptions.defaults(), NativeCalls.system());
  }

  private void makeDatabase(String name) {
    try (Engine engine = open(name)) {
      engine.put(engine.createTable("t"), new byte[1], new byte[2], null);
    }
  }

  private void assertWhole(String name) {
    try (Engine engine = open(name)) {
      assertArrayEquals(new byte[2], engine.get(engine.findTable("t"), new byte[1]));
    }
  }

  @Test
  void creatingLeavesADatabaseAloneThatHasTheTemporaryName() throws IOException {
    makeDatabase("orders-new");
    EngineException refused = assertThrows(EngineException.class, () -> open("orders"));
    assertEquals(EngineException.Kind.UNSUPPORTED, refused.kind());
    assertTrue(refused.getMessage().contains("orders-new"), refused.getMessage());
    assertFalse(Files.exists(directory.resolve("orders")));
    assertWhole("orders-new");
  }

  @Test
  void creatingLeavesAnyOtherFileAloneThatHasTheTemporaryName() throws IOException {
    Path file = directory.resolve("orders-new");
    Files.writeString(file, "a list of new orders");
    assertThrows(EngineException.class, () -> open("orders"));
    assertEquals("a list of new orders", Files.readString(file));
  }

  @Test
  void creatingTakesUpWhatACreationLeftBehind() throws IOException {
    makeDatabase("orders");
    byte[] whole = new byte[64 * 4096];
    Files.write(directory.resolve("shelf-new"), whole); // blocks, no meta yet
    makeDatabase("shelf");
    assertWhole("shelf");
    Files.write(directory.resolve("empty-new"), new byte[0]);
    makeDatabase("empty");
    assertWhole("empty");
    try (Engine engine = open("built")) {
      assertEquals(List.of(), engine.tables());
    }
    assertFalse(Files.exists(directory.resolve("shelf-new")));
  }

  @Test
  void closingUnderViewsLeavesNeighboursAlone() throws IOException {
    makeDatabase("orders");
    makeDatabase("orders-closed");
    Engine engine = open("orders");
    EngineSnapshot snapshot = engine.beginSnapshot();
    assertEquals(2, snapshot.view(snapshot.findTable("t"), new byte[1]).byteSize());
    engine.close();
    snapshot.close();
    assertWhole("orders-closed");
    try (Stream<Path> files = Files.list(directory)) {
      assertEquals(2, files.count());
    }
  }
}
