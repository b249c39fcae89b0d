package dev.kvdb.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.nativecalls.NativeCalls.FlushLevel;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogRoundTripTest {
  private static final int ROOM = LogFixture.SLOT_BYTES - LogFormat.HEADER_BLOCK_BYTES;

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void commitsComeBackInOrder(boolean mapped) {
    LogFixture f = new LogFixture(directory).mapped(mapped);
    Random random = new Random(42);
    LogPosition start;
    long last = 0;
    try (Log log = f.open(7, 100)) {
      start = log.start();
      assertEquals(start, log.start());
      for (int i = 0; i < 400; i++) {
        last =
            f.commit(log, random.nextInt(10) == 0 ? random.nextInt(30_000) : random.nextInt(300));
      }
      assertEquals(last, log.lastLsn());
      assertEquals(99, log.durableLsn());
      assertEquals(log.bytesSince(start), log.bytesInUse() - LogFormat.HEADER_BLOCK_BYTES);
    }
    assertEquals(7, start.slotNumber());
    LogReader reader = f.reader(start);
    LogSummary summary = reader.summary();
    assertEquals(f.appended, LogFixture.read(reader));
    assertEquals(last, summary.lastLsn());
    assertEquals(400, summary.commits());
    assertEquals(last - 99, summary.records());
    assertEquals(401, summary.nextCommitNumber());
    assertEquals(99, summary.durableLsn());
    assertTrue(summary.unbroken());
  }

  @Test
  void everyLengthAroundTheEndOfASlot() {
    for (int length = ROOM - 220; length <= ROOM + 220; length++) {
      checkLengths(length, 1, 50);
    }
  }

  @Test
  void everyRoomThatCanBeLeftInASlot() {
    for (int left = 0; left <= 200; left += LogFormat.ALIGNMENT) {
      int filler = ROOM - LogFormat.RECORD_HEADER_BYTES - left;
      for (int length : new int[] {0, 1, 7, 8, 9, 63, 64, 65, 100, 160, 161, 5000, 20_000}) {
        checkLengths(filler, length, 3);
      }
    }
  }

  private int round;

  private void checkLengths(int... lengths) {
    Path place = directory.resolve("r" + round++);
    assertTrue(place.toFile().mkdir());
    LogFixture f = new LogFixture(place);
    LogPosition start;
    LogPosition end;
    try (Log log = f.open(1, 1)) {
      start = log.start();
      for (int length : lengths) {
        f.commit(log, length);
        assertEquals(0, log.position().offset() % LogFormat.ALIGNMENT);
      }
      end = log.position();
    }
    LogReader reader = f.reader(start);
    assertEquals(
        f.appended, LogFixture.read(reader), () -> List.of(lengths[0], lengths[1]).toString());
    assertEquals(end, reader.summary().end());
    for (Path file : List.of(f.slotFile(0), f.slotFile(1), f.slotFile(2), f.slotFile(3))) {
      file.toFile().delete();
    }
  }

  @Test
  void aCommitMaySpanManySlots() {
    LogFixture f = new LogFixture(directory);
    LogPosition start;
    try (Log log = f.open(1, 1)) {
      start = log.start();
      f.commit(log, 10);
      assertEquals(1 + 26, f.commit(log, 25 * ROOM - 25 * 40));
      f.commit(log, 0);
      f.commit(log, 3 * ROOM);
    }
    assertEquals(f.appended, f.read(start));
  }

  @Test
  void replayMayStartAtAnyPosition() {
    LogFixture f = new LogFixture(directory);
    try (Log log = f.open(1, 1)) {
      log.start();
      for (int i = 0; i < 60; i++) {
        LogPosition position = log.position();
        int before = f.appended.size();
        f.commit(log, 37 * i);
        assertEquals(f.appended.subList(before, before + 1), f.read(position));
      }
    }
  }

  @Test
  void mappedAndWrittenLogsAreTheSameBytes() {
    byte[][] files = new byte[2][];
    for (int i = 0; i < 2; i++) {
      Path place = directory.resolve(i == 0 ? "written" : "mapped");
      assertTrue(place.toFile().mkdir());
      LogFixture f = new LogFixture(place).mapped(i == 1);
      try (Log log = f.open(1, 1)) {
        log.start();
        for (int length : new int[] {0, 1, 7, 8, 100, 2000, 6000, 3, 128}) {
          f.commit(log, length);
          log.raiseDurable(log.lastLsn() - 1);
        }
      }
      files[i] = join(LogFixture.bytesOf(f.slotFile(0)), LogFixture.bytesOf(f.slotFile(1)));
    }
    assertEquals(2 * LogFixture.SLOT_BYTES, files[0].length);
    assertArrayEquals(files[0], files[1]);
  }

  private static byte[] join(byte[] a, byte[] b) {
    byte[] both = java.util.Arrays.copyOf(a, a.length + b.length);
    System.arraycopy(b, 0, both, a.length, b.length);
    return both;
  }

  @Test
  void durableLsnFollowsASyncThatSurvivesPowerCuts() {
    LogFixture f = new LogFixture(directory).withFaultyCalls();
    LogPosition start;
    try (Log log = f.open(1, 1)) {
      start = log.start();
      long lsn = f.commit(log, 10_000);
      f.faulty.flushSurvives = false;
      assertEquals(lsn, log.sync(1, FlushLevel.FSYNC));
      assertEquals(0, log.durableLsn());
      f.faulty.flushSurvives = true;
      assertEquals(lsn, log.sync(lsn, FlushLevel.FULL));
      assertEquals(lsn, log.durableLsn());
      int flushes = count(f, "flush");
      assertEquals(lsn, log.sync(lsn, FlushLevel.FULL), "nothing is left to flush");
      assertEquals(flushes, count(f, "flush"));
      f.commit(log, 1);
      assertEquals(lsn + 1, log.sync(lsn + 1, FlushLevel.BARRIER));
      assertEquals(flushes + 1, count(f, "flush"), "only the slot with new records is flushed");
      f.commit(log, 1);
    }
    assertEquals(f.appended.size(), f.reader(start).summary().commits());
    assertEquals(f.reader(start).summary().lastLsn() - 1, f.reader(start).summary().durableLsn());
  }

  @Test
  void aSlotFlushedInVainKeepsTheRestFromCountingAsDurable() {
    LogFixture f = new LogFixture(directory).withFaultyCalls();
    try (Log log = f.open(1, 1)) {
      log.start();
      f.commit(log, ROOM - 40);
      f.faulty.flushSurvives = false;
      log.sync(1, FlushLevel.FULL);
      f.faulty.flushSurvives = true;
      f.commit(log, 100);
      assertEquals(2, log.sync(2, FlushLevel.FULL));
      assertEquals(0, log.durableLsn(), "the first slot's flush did not survive a power cut");
      log.raiseDurable(2);
      f.commit(log, 100);
      log.sync(3, FlushLevel.FULL);
      assertEquals(3, log.durableLsn());
    }
  }

  private static int count(LogFixture f, String call) {
    return (int) f.faulty.log.stream().filter(call::equals).count();
  }

  @Test
  void sizesAreAccounted() {
    LogFixture f = new LogFixture(directory);
    f.options = new LogOptions(LogFixture.SLOT_BYTES, 4 * LogFixture.SLOT_BYTES, false);
    try (Log log = f.open(1, 1)) {
      assertEquals(0, log.bytesInUse());
      assertFalse(log.wantsPrepare());
      LogPosition start = log.start();
      assertEquals(LogFormat.HEADER_BLOCK_BYTES, log.bytesInUse());
      assertTrue(log.fitsEmptyLog(3000));
      assertFalse(log.fitsEmptyLog(4 * LogFixture.SLOT_BYTES));
      f.commit(log, 2 * ROOM);
      LogPosition position = log.position();
      long before = log.bytesInUse();
      assertEquals(2 * LogFixture.SLOT_BYTES + position.offset(), before);
      assertEquals(before - start.offset(), log.bytesSince(start));
      assertEquals(0, log.bytesSince(position));
      log.release(position);
      assertEquals(position.offset(), log.bytesInUse());
      assertTrue(log.wantsPrepare());
      log.prepareAhead();
      assertFalse(log.wantsPrepare());
      assertEquals(5, log.nextSlotNumber());
    }
  }

  @Test
  void misuseIsRefused() {
    LogFixture f = new LogFixture(directory);
    Log log = f.open(1, 1);
    assertThrows(IllegalStateException.class, log::position);
    assertThrows(IllegalStateException.class, () -> log.reserve(10));
    assertThrows(IllegalStateException.class, () -> log.append(1, new byte[10], 0, 10));
    LogPosition start = log.start();
    f.commit(log, 10);
    assertThrows(IndexOutOfBoundsException.class, () -> log.append(2, new byte[10], 5, 10));
    assertThrows(
        IllegalStateException.class,
        () -> log.append(3, new byte[10_000], 0, 10_000),
        "no room was reserved");
    f.commit(log, 20);
    log.close();
    log.close();
    assertThrows(LogFailedException.class, () -> log.append(4, new byte[1], 0, 1));
    assertThrows(LogFailedException.class, () -> log.sync(9, FlushLevel.FULL));
    assertEquals(f.appended, f.read(start));
    assertThrows(IllegalArgumentException.class, () -> new LogOptions(5000, 100_000, false));
    assertThrows(IllegalArgumentException.class, () -> new LogOptions(8192, 10_000, false));
  }
}
