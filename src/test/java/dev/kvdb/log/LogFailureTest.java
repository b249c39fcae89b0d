package dev.kvdb.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.nativecalls.NativeCallException;
import dev.kvdb.nativecalls.NativeCalls.FlushLevel;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogFailureTest {
  private static final int[] LENGTHS = {10, 500, 9000, 0, 3000, 20_000, 77, 4056, 1, 100, 6000};

  @TempDir Path directory;
  private int round;

  private LogFixture fixture(boolean mapped) {
    Path place = directory.resolve("r" + round++);
    assertTrue(place.toFile().mkdir());
    return new LogFixture(place).mapped(mapped).withFaultyCalls();
  }

  /** Runs the script with failures injected; returns how many commits failed. */
  private int runScript(LogFixture f, int at, int failures, boolean tears, String... kinds) {
    int failed = 0;
    LogPosition start;
    int turns;
    try (Log log = f.open(1, 1)) {
      start = log.start();
      f.faulty.tears = tears;
      f.faulty.arm(at, failures, kinds);
      for (int length : LENGTHS) {
        long lastLsn = log.lastLsn();
        try {
          f.commit(log, length);
        } catch (NativeCallException e) {
          failed++;
          assertEquals(lastLsn, log.lastLsn());
          assertEquals(lastLsn + 1, log.position().nextLsn());
          assertEquals(f.appended, f.read(start), "right after failure " + at);
        }
      }
      turns = f.faulty.turns();
      f.faulty.disarm();
      assertEquals(log.lastLsn(), log.sync(log.lastLsn(), FlushLevel.FULL));
    }
    LogReader reader = f.reader(start);
    assertEquals(f.appended, LogFixture.read(reader), "failure " + at);
    assertTrue(reader.summary().unbroken());
    assertEquals(LENGTHS.length - failed, f.appended.size());
    return at <= turns ? Math.max(failed, 1) : 0;
  }

  @Test
  void aFailedWriteIsTakenBackWhicheverItIs() {
    for (boolean tears : new boolean[] {false, true}) {
      int at = 1;
      while (runScript(fixture(false), at, 1, tears, "write") > 0) {
        at++;
      }
      assertTrue(at > 25, "writes: " + at);
    }
  }

  @Test
  void aFaultingStoreIsWrittenInstead() {
    int at = 1;
    LogFixture f = fixture(true);
    while (runScript(f, at, 1, at % 2 == 0, "store") > 0) {
      assertEquals(LENGTHS.length, f.appended.size(), "store " + at);
      f = fixture(true);
      at++;
    }
    assertTrue(at > 15, "stores: " + at);
  }

  @Test
  void aFaultingStoreThatCannotBeWrittenIsTakenBack() {
    int at = 1;
    while (runScript(fixture(true), at, 2, at % 2 == 0, "store", "write") > 0) {
      at++;
    }
    assertTrue(at > 25, "stores and writes: " + at);
  }

  @Test
  void partsLeftByAFailedCommitDoNotFollowItsSuccessor() {
    LogFixture f = fixture(false);
    f.options = new LogOptions(1 << 20, 4 << 20, false);
    LogPosition start;
    try (Log log = f.open(1, 1)) {
      start = log.start();
      f.commit(log, 10);
      log.reserve(200_000);
      f.faulty.arm(4, 1, "write");
      byte[] four = new byte[200_000];
      assertThrows(NativeCallException.class, () -> log.append(1000, four, 0, four.length));
      f.faulty.disarm();
      assertEquals(f.appended, f.read(start));
      // As long as the first part of the one that failed: its second part follows, soundly.
      f.commit(log, LogFormat.PART_BYTES_MAX);
      LogReader reader = f.reader(start);
      assertEquals(f.appended, LogFixture.read(reader));
      assertEquals(2, reader.summary().records());
      LogReader careless = LogReader.open(f.calls, f.scan(), start, new Rules(false, true));
      assertEquals(4, careless.summary().records(), "only the chain of checksums keeps it out");
      f.commit(log, 300);
      f.commit(log, 200_000);
    }
    assertEquals(f.appended, f.read(start));
  }

  @Test
  void whatCannotBeTakenBackEndsAppending() {
    for (int length : new int[] {100, 20_000}) {
      LogFixture f = fixture(false);
      LogPosition start;
      try (Log log = f.open(1, 1)) {
        start = log.start();
        f.commit(log, 50);
        log.reserve(length);
        f.faulty.tears = true;
        f.faulty.arm(1, 2, "write");
        NativeCallException first =
            assertThrows(
                NativeCallException.class, () -> log.append(9, new byte[length], 0, length));
        f.faulty.disarm();
        assertEquals(1, first.getSuppressed().length);
        assertSame(first, log.failureCause());
        LogFailedException second =
            assertThrows(LogFailedException.class, () -> log.append(10, new byte[1], 0, 1));
        assertSame(first, second.getCause());
        assertSame(first, assertThrows(LogFailedException.class, () -> log.reserve(1)).getCause());
        assertEquals(1, log.sync(1, FlushLevel.FULL), "what was appended can be synced");
        assertEquals(1, log.durableLsn());
      }
      assertEquals(f.appended, f.read(start));
    }
  }

  @Test
  void aFailedFlushIsFinal() {
    for (boolean mapped : new boolean[] {false, true}) {
      for (String call : mapped ? new String[] {"flush", "sync"} : new String[] {"flush"}) {
        LogFixture f = fixture(mapped);
        LogPosition start;
        try (Log log = f.open(1, 1)) {
          start = log.start();
          f.commit(log, 50);
          assertEquals(1, log.sync(1, FlushLevel.FSYNC));
          f.commit(log, 6000);
          f.faulty.arm(2, 1, call);
          Throwable cause =
              assertThrows(LogFailedException.class, () -> log.sync(2, FlushLevel.FSYNC))
                  .getCause();
          f.faulty.disarm();
          assertTrue(cause instanceof NativeCallException);
          assertEquals(1, log.durableLsn());
          for (FlushLevel level : FlushLevel.values()) {
            assertSame(
                cause, assertThrows(LogFailedException.class, () -> log.sync(1, level)).getCause());
          }
          assertSame(
              cause,
              assertThrows(LogFailedException.class, () -> log.append(3, new byte[1], 0, 1))
                  .getCause());
          assertSame(
              cause, assertThrows(LogFailedException.class, () -> log.reserve(1)).getCause());
          assertSame(cause, log.failureCause());
          assertFalse(log.wantsPrepare());
        }
        assertEquals(f.appended, f.read(start), "this file system lost nothing");
      }
    }
  }

  @Test
  void anErrorOfTheMachineIsTakenBackToo() {
    LogFixture f = fixture(true);
    boolean[] fails = {false};
    LogPosition start;
    try (Log log =
        f.open(
            1,
            1,
            (calls, slotBytes, fallback, failure) ->
                new MappedAppender(calls, slotBytes, fallback, failure) {
                  @Override
                  void poll() {
                    if (fails[0]) {
                      throw new StackOverflowError();
                    }
                  }
                })) {
      start = log.start();
      f.commit(log, 100);
      fails[0] = true;
      assertThrows(StackOverflowError.class, () -> f.commit(log, 200));
      assertThrows(StackOverflowError.class, () -> f.commit(log, 8000));
      fails[0] = false;
      assertEquals(f.appended, f.read(start));
      f.commit(log, 200);
    }
    assertEquals(f.appended, f.read(start));
    assertEquals(2, f.appended.size());
  }
}
