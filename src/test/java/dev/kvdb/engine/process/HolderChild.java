package dev.kvdb.engine.process;

import dev.kvdb.engine.Engine;
import dev.kvdb.engine.EngineException;
import dev.kvdb.engine.EngineOptions;
import dev.kvdb.engine.EngineTable;
import dev.kvdb.nativecalls.NativeCalls;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Opens a database, prints how many entries its tables have, holds it open until its input ends.
 * Arguments: path, "read" or "write".
 */
public final class HolderChild {
  static final int REFUSED_STATUS = 4;

  private HolderChild() {}

  public static void main(String[] arguments) throws IOException {
    boolean readOnly = arguments[1].equals("read");
    EngineOptions options =
        EngineOptions.defaults()
            .withAddressSpaceBytes(1L << 30)
            .withCreate(false)
            .withReadOnly(readOnly);
    try (Engine engine = Engine.open(Path.of(arguments[0]), options, NativeCalls.system())) {
      long entries = 0;
      for (EngineTable table : engine.tables()) {
        entries += engine.count(table);
      }
      System.out.println("entries " + entries);
      while (System.in.read() >= 0) {
        // Only its end counts.
      }
    } catch (EngineException refused) {
      System.out.println(refused.kind() + " " + refused.getMessage());
      System.exit(REFUSED_STATUS);
    }
  }
}
