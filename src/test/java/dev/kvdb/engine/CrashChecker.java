package dev.kvdb.engine;

import dev.kvdb.disk.CutCampaign.Checker;
import dev.kvdb.disk.Drive;
import dev.kvdb.disk.SimulatedDisk;
import dev.kvdb.engine.CrashEngine.Setup;
import dev.kvdb.engine.EngineException.Kind;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Opens what is left and compares all of it with the model: whole batches, in the order of commits,
 * none missing that had to survive; verify finds nothing; the database is still usable.
 */
final class CrashChecker {
  private static final byte[] KEY = "written by the check".getBytes();

  private final Setup setup;
  private final int everyNth;
  private final Drive drive;
  private int checked;

  private CrashChecker(Setup setup, int everyNth, Drive drive) {
    this.setup = setup;
    this.everyNth = everyNth;
    this.drive = drive;
  }

  /** One that opens as a setup says, and writes to every so manyth image too. */
  static CrashChecker of(Setup setup, int everyNth) {
    return new CrashChecker(setup, everyNth, Drive.LINUX);
  }

  static CrashChecker of(Setup setup) {
    return of(setup, 5);
  }

  /** One for images of another drive. */
  CrashChecker on(Drive newDrive) {
    return new CrashChecker(setup, everyNth, newDrive);
  }

  /** Checks what a power cut left. */
  Checker afterCut() {
    return (disk, marks) -> check(disk, marks, false);
  }

  /** Checks what a killed process left. */
  Checker afterKill() {
    return (disk, marks) -> check(disk, marks, true);
  }

  private void check(SimulatedDisk disk, List<Object> marks, boolean afterKill) {
    CrashHistory history = CrashHistory.of(marks, drive);
    int nth = checked++;
    if (nth % everyNth == everyNth / 2 && history.isCreated()) {
      checkReadOnly(disk, history, afterKill);
    }
    boolean goesOn = nth % everyNth == everyNth - 1;
    checkAndGoOn(disk, history, afterKill, goesOn);
    if (goesOn) {
      reopen(disk);
    }
  }

  private void checkAndGoOn(
      SimulatedDisk disk, CrashHistory history, boolean afterKill, boolean goesOn) {
    try (Engine engine = open(disk, history)) {
      CrashModel found = CrashModel.read(engine);
      history.requireLegal(found, afterKill);
      requireSound(engine);
      if (goesOn) {
        EngineTable table = engine.createTable("checker");
        engine.put(table, KEY, KEY, CommitLevel.NONE);
        requireSound(engine);
      }
    } catch (EngineException problem) {
      throw new AssertionError("it opens, and then: " + problem, problem);
    }
  }

  private Engine open(SimulatedDisk disk, CrashHistory history) {
    try {
      return setup.with(setup.options().withCreate(!history.isCreated())).open(disk);
    } catch (EngineException problem) {
      throw new AssertionError("it does not open: " + problem, problem);
    }
  }

  private void checkReadOnly(SimulatedDisk disk, CrashHistory history, boolean afterKill) {
    int before = disk.operationCount();
    try (Engine engine =
        setup.with(setup.options().withReadOnly(true).withPoolBytes(64L << 20)).open(disk)) {
      history.requireLegal(CrashModel.read(engine), afterKill);
    }
    if (disk.operationCount() != before) {
      throw new AssertionError(
          "opening for reading changed something: "
              + disk.operations().subList(before, before + 1));
    }
  }

  private void reopen(SimulatedDisk disk) {
    try (Engine engine = setup.open(disk)) {
      if (engine.get(engine.findTable("checker"), KEY) == null) {
        throw new AssertionError("what was written after the check is gone");
      }
      requireSound(engine);
    }
  }

  private static void requireSound(Engine engine) {
    List<String> problems = engine.verify().problems();
    if (!problems.isEmpty()) {
      throw new AssertionError("verify: " + problems.subList(0, Math.min(5, problems.size())));
    }
  }

  /** Fails unless opening a damaged image is refused as damage, and changes no file. */
  static void requireRefused(SimulatedDisk disk, Setup setup, Kind... kinds) {
    Map<String, Long> before = writes(disk);
    try (Engine engine = setup.with(setup.options().withCreate(false)).open(disk)) {
      throw new AssertionError("it opened, and shows " + CrashModel.read(engine));
    } catch (EngineException problem) {
      if (!List.of(kinds).contains(problem.kind())) {
        throw new AssertionError("refused as " + problem.kind() + ": " + problem, problem);
      }
    }
    if (!writes(disk).equals(before)) {
      throw new AssertionError("the refused open changed a file: " + disk.operations());
    }
  }

  /** How many changes of bytes, lengths and names were made, by file. */
  private static Map<String, Long> writes(SimulatedDisk disk) {
    Map<String, Long> count = new TreeMap<>();
    disk.operations().stream()
        .filter(
            o ->
                switch (o.kind()) {
                  case FLUSH, DIRSYNC, MSYNC, PUT -> false;
                  default -> true;
                })
        .forEach(o -> count.merge(o.name(), 1L, Long::sum));
    return count;
  }
}
