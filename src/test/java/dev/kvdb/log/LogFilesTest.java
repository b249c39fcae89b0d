package dev.kvdb.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.nativecalls.NativeCallException;
import dev.kvdb.nativecalls.NativeCalls;
import dev.kvdb.nativecalls.NativeCalls.FlushLevel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogFilesTest {
  @TempDir Path directory;

  private static List<Integer> indexes(List<LogDirectory.SlotName> names) {
    return names.stream().map(LogDirectory.SlotName::index).toList();
  }

  private List<Integer> slotIndexes(LogFixture f) {
    return f.scan().slots().stream().map(slot -> slot.name().index()).sorted().toList();
  }

  @Test
  void foreignFilesAreReportedAndLeftAlone() throws IOException {
    LogFixture f = new LogFixture(directory);
    byte[] text = "not a log".getBytes();
    Files.write(f.slotFile(0), text);
    LogIdentity otherTimeline = new LogIdentity(LogFixture.IDENTITY.databaseId(), new UUID(5, 6));
    byte[] other = new SlotHeader(900, 1, LogFixture.SLOT_BYTES).encode(otherTimeline);
    Files.write(f.slotFile(1), other);
    Files.createFile(f.slotFile(2));
    Files.createDirectory(f.slotFile(3));
    Files.write(f.slotFile(4), new byte[10_000]);
    byte[] damaged = new SlotHeader(800, 1, LogFixture.SLOT_BYTES).encode(LogFixture.IDENTITY);
    damaged[LogFormat.HEADER_SALT]++;
    Files.write(f.slotFile(5), damaged);
    byte[] shortHeader = new SlotHeader(3, 1, 8192).encode(LogFixture.IDENTITY);
    Files.write(f.slotFile(6), java.util.Arrays.copyOf(shortHeader, 100));
    byte[] stale = new SlotHeader(41, 1, 16384).encode(LogFixture.IDENTITY);
    Files.write(f.slotFile(60), java.util.Arrays.copyOf(stale, 16384));

    LogDirectory found = f.scan();
    assertEquals(List.of(0, 1, 3, 5, 6), indexes(found.foreignFiles()));
    assertEquals(List.of(2, 4), indexes(found.unusedFiles()));
    assertEquals(41, found.highestSlotNumber());

    LogPosition start;
    try (Log log = f.open(7, 1)) {
      start = log.start();
      f.commit(log, 20_000);
      log.raiseDurable(1);
    }
    assertEquals(42, start.slotNumber(), "above every header found");
    assertEquals(f.appended, f.read(start));
    assertEquals(List.of(2, 4, 7, 8, 60), slotIndexes(f));
    assertEquals(LogFixture.SLOT_BYTES, Files.size(f.slotFile(60)), "cut to the size of a slot");
    assertArrayEquals(text, Files.readAllBytes(f.slotFile(0)));
    assertArrayEquals(other, Files.readAllBytes(f.slotFile(1)));
    assertArrayEquals(damaged, Files.readAllBytes(f.slotFile(5)));
  }

  @Test
  void aFileThatBecameForeignSinceTheScanIsSkipped() throws IOException {
    LogFixture f = new LogFixture(directory);
    Files.createFile(f.slotFile(0));
    try (Log log = f.open(1, 1)) {
      Files.write(f.slotFile(0), new byte[] {1});
      Files.write(f.slotFile(1), new byte[] {2});
      log.start();
    }
    assertEquals(List.of(2), slotIndexes(f));
    assertArrayEquals(new byte[] {1}, Files.readAllBytes(f.slotFile(0)));
    assertArrayEquals(new byte[] {2}, Files.readAllBytes(f.slotFile(1)));
  }

  @Test
  void slotNumbersAndNamesAreDurableBeforeTheyAreUsed() {
    LogFixture f = new LogFixture(directory).withFaultyCalls();
    try (Log log = f.open(1, 1)) {
      log.start();
      List<String> calls = List.copyOf(f.faulty.log);
      int write = calls.indexOf("write");
      assertTrue(calls.indexOf("allocate") < write, calls.toString());
      assertTrue(write < calls.indexOf("flush"), calls.toString());
      assertTrue(calls.indexOf("flush") < calls.indexOf("syncDirectory"), calls.toString());
    }
    f.faulty.log.clear();
    try (Log log = f.open(2, 1)) {
      log.start();
      assertTrue(f.faulty.log.contains("syncDirectory"), "once in every open");
    }
  }

  @Test
  void surplusFilesAreRemovedFromTheHighestNameDown() {
    LogFixture f = new LogFixture(directory);
    try (Log log = f.open(1, 1)) {
      log.start();
      f.commit(log, 40_000);
      assertEquals(10, slotIndexes(f).size());
      log.release(log.position());
      assertEquals(10, slotIndexes(f).size(), "the highest name is in use");
      f.commit(log, 4000);
      log.release(log.position());
      assertEquals(List.of(0, 1, 2), slotIndexes(f));
      for (int i = 0; i < 20; i++) {
        f.commit(log, 3000);
        log.release(log.position());
        assertTrue(slotIndexes(f).size() <= 4, () -> slotIndexes(f).toString());
      }
    }
  }

  @Test
  void aFileThatCannotBeRemovedIsNoFailure() {
    LogFixture f = new LogFixture(directory).withFaultyCalls();
    try (Log log = f.open(1, 1)) {
      log.start();
      f.commit(log, 40_000);
      log.release(log.position());
      f.commit(log, 4000);
      f.faulty.arm(1, 1, "unlink");
      log.release(log.position());
      assertNotNull(log.trimFailure());
      assertNull(log.failureCause());
      assertEquals(10, slotIndexes(f).size());
      log.release(log.position());
      assertEquals(3, slotIndexes(f).size());
      f.commit(log, 4000);
      assertNull(log.failureCause());
    }
  }

  @Test
  void noRoomForASlotLeavesTheLogAsItWas() {
    for (boolean mapped : new boolean[] {false, true}) {
      Path place = directory.resolve("m" + mapped);
      assertTrue(place.toFile().mkdir());
      LogFixture f = new LogFixture(place).mapped(mapped).withFaultyCalls();
      LogPosition start;
      try (Log log = f.open(1, 1)) {
        f.faulty.arm(1, 1, "allocate");
        assertThrows(NativeCallException.class, log::start);
        assertFalse(log.isStarted());
        f.faulty.disarm();
        start = log.start();
        assertEquals(1, start.slotNumber());
        f.commit(log, 3000);
        LogPosition before = log.position();
        for (int turn = 1; turn <= 3; turn++) {
          f.faulty.arm(turn, 1, "allocate");
          assertThrows(NativeCallException.class, () -> log.reserve(12_000 + 4096));
          assertEquals(before, log.position());
          f.commit(log, 0);
          before = log.position();
        }
        f.faulty.arm(1, 1, "allocate");
        f.faulty.disarm();
        f.commit(log, 12_000);
      }
      LogReader reader = f.reader(start);
      assertEquals(f.appended, LogFixture.read(reader));
      assertTrue(reader.summary().unbroken());
    }
  }

  @Test
  void aPreparationTakenUpAgainKeepsItsNumber() {
    for (String call : new String[] {"write", "prefault"}) {
      Path place = directory.resolve(call);
      assertTrue(place.toFile().mkdir());
      LogFixture f = new LogFixture(place).mapped(true).withFaultyCalls();
      LogPosition start;
      try (Log log = f.open(1, 1)) {
        start = log.start();
        f.commit(log, 3000);
        f.faulty.tears = true;
        f.faulty.arm(1, 2, call);
        assertThrows(NativeCallException.class, log::prepareAhead);
        assertThrows(NativeCallException.class, log::prepareAhead);
        log.prepareAhead();
        f.commit(log, 3000);
        assertEquals(2, log.position().slotNumber());
      }
      LogReader reader = f.reader(start);
      assertEquals(f.appended, LogFixture.read(reader));
      assertTrue(reader.summary().unbroken());
    }
  }

  @Test
  void aPreparationThatCannotBeFlushedIsFinal() {
    for (String call : new String[] {"flush", "syncDirectory"}) {
      Path place = directory.resolve(call);
      assertTrue(place.toFile().mkdir());
      LogFixture f = new LogFixture(place).withFaultyCalls();
      try (Log log = f.open(1, 1)) {
        log.start();
        f.commit(log, 100);
        f.faulty.arm(1, 1, call);
        LogFailedException e = assertThrows(LogFailedException.class, log::prepareAhead);
        f.faulty.disarm();
        assertEquals(
            e.getCause(),
            assertThrows(LogFailedException.class, () -> log.append(2, new byte[1], 0, 1))
                .getCause());
        assertEquals(
            e.getCause(),
            assertThrows(LogFailedException.class, () -> log.sync(1, FlushLevel.FULL)).getCause());
      }
    }
  }

  @Test
  void scanningChangesNothing() throws IOException {
    LogFixture f = new LogFixture(directory);
    LogDirectory none = LogDirectory.scan(NativeCalls.system(), f.pageFile, LogFixture.IDENTITY);
    assertEquals(0, none.highestSlotNumber());
    try (var names = Files.list(directory)) {
      assertEquals(0, names.count());
    }
  }
}
