package dev.kvdb.engine;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.kvdb.disk.ImageChoice;
import dev.kvdb.disk.SimulatedDisk;
import dev.kvdb.engine.CrashEngine.Setup;
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
}
