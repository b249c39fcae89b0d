package dev.kvdb.log;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.nativecalls.NativeCalls;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Without the forced poll behind a store into the mapped log, compiled code acknowledges records
 * whose store faulted: the fault is told at some later safepoint, or behind the handler.
 */
class LogFaultPlantedTest {
  private static final int WARM_UP = 60_000;
  private static final int ROUNDS = 200;
  private static final int ROUND_COMMITS = 40;

  @TempDir Path directory;

  @Test
  void withoutThePollAcknowledgedRecordsAreLost() throws IOException {
    LogFixture f = new LogFixture(directory);
    f.options = new LogOptions(64 << 20, 128 << 20, true);
    byte[] payload = LogFixture.payload(1, 128);
    LogPosition start;
    long acknowledged = 0;
    int escaped = 0;
    try (Log log =
        WeakerLogs.withoutPoll(
            NativeCalls.system(), f.pageFile, LogFixture.IDENTITY, f.options, f.scan(), 1, 1)) {
      start = log.start();
      for (int i = 1; i <= WARM_UP; i++) {
        append(log, payload);
        acknowledged++;
      }
      try (FileChannel file = FileChannel.open(f.slotFile(0), StandardOpenOption.WRITE)) {
        for (int round = 0; round < ROUNDS && escaped == 0; round++) {
          file.truncate((log.position().offset() + 4095) / 4096 * 4096);
          try {
            for (int i = 0; i < ROUND_COMMITS; i++) {
              append(log, payload);
              acknowledged++;
            }
          } catch (InternalError | LogFailedException lateFault) {
            escaped++;
          }
        }
      }
    }
    long found = f.reader(start).summary().commits();
    System.out.println(
        "planted: no poll after a mapped append: "
            + acknowledged
            + " commits acknowledged, "
            + found
            + " found, "
            + escaped
            + " faults told too late");
    assertTrue(found < acknowledged || escaped > 0, "the missing poll went unnoticed");
  }

  private static void append(Log log, byte[] payload) {
    log.reserve(payload.length);
    log.append(1 + log.lastLsn(), payload, 0, payload.length);
  }
}
