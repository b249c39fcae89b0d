package dev.kvdb.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.kvdb.disk.Effect;
import dev.kvdb.disk.ImageChoice;
import dev.kvdb.disk.Kind;
import dev.kvdb.disk.SimulatedDisk;
import dev.kvdb.engine.CrashEngine.Setup;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What campaigns have found, each as small as it can be. */
class CrashRegressionTest {
  private static final byte[] KEY = {1};
  private static final ImageChoice NOTHING =
      new ImageChoice(ImageChoice.Data.NOTHING, ImageChoice.Names.KEPT, 0);

  @Test
  void deleteOfAnAbsentKeyPromisesItsAbsence() {
    Setup setup = Setup.of(CrashEngine.options(CommitLevel.FSYNC, 8 << 10));
    try (SimulatedDisk disk = SimulatedDisk.create()) {
      int cut;
      try (Engine engine = setup.open(disk)) {
        EngineTable table = engine.createTable("t");
        engine.put(table, KEY, KEY, CommitLevel.FULL);
        engine.delete(table, KEY, CommitLevel.NONE);
        assertFalse(engine.delete(table, KEY, CommitLevel.FULL));
        cut = disk.operationCount();
      }
      try (SimulatedDisk left = SimulatedDisk.from(disk.cut(cut, NOTHING));
          Engine engine = setup.open(left)) {
        assertNull(engine.get(engine.findTable("t"), KEY), "a key whose absence was promised");
      }
    }
  }

  /** A meta whose write failed halfway may be the newest on the disk; that is no damage. */
  @Test
  void verifyBelievesNoMetaOnceWritingHasEnded() {
    Setup setup = Setup.of(CrashEngine.options(CommitLevel.FSYNC, 8 << 10));
    try (SimulatedDisk disk = SimulatedDisk.create();
        Engine engine = setup.open(disk)) {
      engine.put(engine.createTable("t"), KEY, KEY, CommitLevel.FULL);
      // The catalog, its map and the pages go in one write or more, the meta behind their flush.
      disk.duringFlush(() -> disk.failCall(1, "EIO", Effect.PARTIAL, Kind.WRITE));
      EngineException failure = assertThrows(EngineException.class, engine::checkpoint);
      disk.duringFlush(() -> {});
      assertEquals(EngineException.Kind.WRITES_REFUSED, failure.kind());
      assertEquals(List.of(), engine.verify().problems());
    }
  }
}
