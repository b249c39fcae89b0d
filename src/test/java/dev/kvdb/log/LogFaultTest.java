package dev.kvdb.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real fault, met by compiled code: the file is cut short under its mapping. */
class LogFaultTest {
  private static final int WARM_UP = 60_000;

  @TempDir Path directory;

  @Test
  void aCommitIsNotAcknowledgedWithoutItsBytes() throws IOException {
    LogFixture f = new LogFixture(directory);
    f.options = new LogOptions(64 << 20, 128 << 20, true);
    byte[] payload = LogFixture.payload(1, 128);
    LogPosition start;
    int faults = 0;
    long last = 0;
    int[] fallbacks = {0};
    try (Log log =
        f.open(
            1,
            1,
            (calls, slotBytes, fallback, failure) ->
                new MappedAppender(
                    calls, slotBytes, new CountingAppender(fallback, fallbacks), failure))) {
      start = log.start();
      for (int i = 1; i <= WARM_UP; i++) {
        log.reserve(payload.length);
        last = log.append(i, payload, 0, payload.length);
      }
      try (FileChannel file = FileChannel.open(f.slotFile(0), StandardOpenOption.WRITE)) {
        for (int i = 1; i <= 200; i++) {
          // Behind the last record, to a page of memory: the next page is gone.
          file.truncate((log.position().offset() + 4095) / 4096 * 4096);
          for (int j = 0; j < 40; j++) {
            log.reserve(payload.length);
            last = log.append(WARM_UP + 40L * i + j, payload, 0, payload.length);
          }
          faults++;
        }
      }
    }
    assertEquals(200, faults);
    assertTrue(fallbacks[0] >= 200, "stores that faulted: " + fallbacks[0]);
    LogReader reader = f.reader(start);
    assertEquals(last, reader.summary().lastLsn(), "every acknowledged record is there");
    assertEquals(WARM_UP + 200 * 40, LogFixture.read(reader).size());
  }

  @Test
  void aLogThatLostItsEndIsNotAppendedTo() throws IOException {
    LogFixture f = new LogFixture(directory);
    f.options = new LogOptions(1 << 20, 2 << 20, true);
    LogPosition start;
    try (Log log = f.open(1, 1)) {
      start = log.start();
      for (int i = 0; i < 100; i++) {
        f.commit(log, 128);
      }
      f.appended.clear();
      long before = log.lastLsn();
      try (FileChannel file = FileChannel.open(f.slotFile(0), StandardOpenOption.WRITE)) {
        file.truncate(8192);
      }
      assertThrows(LogFailedException.class, () -> f.commit(log, 128));
      assertThrows(LogFailedException.class, () -> f.commit(log, 128));
      assertEquals(before, log.lastLsn());
      assertTrue(log.failureCause().getMessage().contains("P-wal-0"));
    }
    assertEquals((8192 - 4096) / 168, f.reader(start).summary().commits());
  }

  private record CountingAppender(Appender target, int[] count) implements Appender {
    @Override
    public void write(SlotFile slot, long offset, byte[] bytes, int from, int length) {
      count[0]++;
      target.write(slot, offset, bytes, from, length);
    }

    @Override
    public void close() {
      target.close();
    }
  }
}
