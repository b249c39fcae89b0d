package dev.kvdb.engine;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.nativecalls.NativeCallException;
import dev.kvdb.nativecalls.NativeCalls;
import java.util.Set;

/** Real calls that from one moment on change no file any more, as after the process was killed. */
final class KilledCalls {
  private static final Set<String> CHANGES =
      Set.of("write", "truncate", "allocate", "flush", "link", "rename", "unlink");

  private volatile boolean killed;

  NativeCalls calls() {
    return WatchedCalls.of(
        NativeCalls.system(),
        (name, arguments) -> {
          if (killed && CHANGES.contains(name)) {
            throw new NativeCallException(name, "anything", 5, "EIO", "killed");
          }
        });
  }

  /** Gives memory and locks back without leaving a trace in the files. */
  void kill(Engine engine) {
    killed = true;
    try {
      engine.close();
    } catch (EngineException expected) {
      // Unless nothing was to be written: then it closes without a word.
      assertTrue(
          expected.kind() == EngineException.Kind.IO
              || expected.kind() == EngineException.Kind.WRITES_REFUSED,
          expected::toString);
    }
  }
}
