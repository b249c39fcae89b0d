package dev.kvdb.engine.process;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.engine.Engine;
import dev.kvdb.engine.EngineOptions;
import dev.kvdb.engine.EngineTable;
import dev.kvdb.engine.OperationBuffer;
import dev.kvdb.nativecalls.NativeCalls;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Real faults of mapped memory in compiled code, each in a process of its own: the page file or the
 * log is cut short by someone else under a hot loop.
 */
class FaultTest {
  @TempDir Path directory;

  private Path path() {
    return directory.resolve("database");
  }

  private void fill() {
    try (Engine engine = Engine.open(path(), EngineOptions.defaults(), NativeCalls.system())) {
      EngineTable table = engine.createTable("t");
      OperationBuffer batch = new OperationBuffer();
      for (int i = 0; i < FaultChild.KEYS; i++) {
        batch.put(table.id(), FaultChild.key(i), FaultChild.value(i));
      }
      engine.write(batch, null);
    }
  }

  private String run(String mode) throws Exception {
    try (ChildJvm child =
        ChildJvm.start(directory, List.of(), FaultChild.class, mode, path().toString())) {
      String output = new String(child.output().readAllBytes());
      assertEquals(0, child.await(), output + child.errors());
      System.out.print("faults: " + output);
      return output;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"get", "into", "cursor", "view"})
  void aReadOfAFileCutShortIsRightOrAnException(String mode) throws Exception {
    fill();
    run(mode);
  }

  @Test
  void noPutIsAcknowledgedThatTheLogDoesNotHold() throws Exception {
    String output = run("log");
    int acknowledged = number(output, "acknowledged (\\d+),");
    assertTrue(acknowledged > 40_000, output);
    // A store that faulted was noticed before it counted, and done again with a call.
    assertEquals(0, number(output, "refused (\\d+)"), output);
    try (Engine engine = Engine.open(path(), LogFaultChild.options(), NativeCalls.system())) {
      EngineTable table = engine.findTable("log");
      assertEquals(acknowledged, engine.count(table));
      for (int i = 0; i < acknowledged; i++) {
        assertArrayEquals(FaultChild.value(i), engine.get(table, FaultChild.key(i)));
      }
      assertEquals(List.of(), engine.verify().problems());
    }
  }

  @Test
  void noPutIsAcknowledgedBehindRecordsThatAreGone() throws Exception {
    String output = run("lost");
    assertEquals(0, number(output, "after the cut: (\\d+)"), output);
    assertTrue(number(output, "refused (\\d+)") > 0, output);
  }

  private static int number(String text, String pattern) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    assertTrue(matcher.find(), text);
    return Integer.parseInt(matcher.group(1));
  }
}
