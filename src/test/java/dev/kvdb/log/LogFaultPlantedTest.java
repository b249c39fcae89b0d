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
 * Without the forced poll behind a store into the mapped log, compiled code is told of a fault
 * behind the handler that would have written the record with a call. How far behind is the
 * compiler's choice: mostly the commit fails without need, sometimes it has been acknowledged and
 * is lost with all that follow. With the poll neither happens ({@link LogFaultTest}).
 */
class LogFaultPlantedTest {
  private static final int WARM_UP = 300_000;
  private static final int ROUNDS = 200;
  private static final int ROUND_COMMITS = 40;

  private static long acknowledged;

  @TempDir Path directory;

  @Test
  void withoutThePollFaultsAreToldTooLate() throws IOException {
    LogFixture f = new LogFixture(directory);
    f.options = new LogOptions(64 << 20, 128 << 20, true);
    byte[] payload = LogFixture.payload(1, 128);
    LogPosition start;
    int escaped = 0;
    acknowledged = 0;
    try (Log log =
        WeakerLogs.withoutPoll(
            NativeCalls.system(), f.pageFile, LogFixture.IDENTITY, f.options, f.scan(), 1, 1)) {
      start = log.start();
      for (int i = 0; i < WARM_UP; i += ROUND_COMMITS) {
        appendMany(log, payload);
      }
      try (FileChannel file = FileChannel.open(f.slotFile(0), StandardOpenOption.WRITE)) {
        for (int round = 0; round < ROUNDS && log.failureCause() == null; round++) {
          file.truncate((log.position().offset() + 4095) / 4096 * 4096);
          try {
            appendMany(log, payload);
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

  /** One compiled loop that appends and acknowledges, as a hot writer is. */
  private static void appendMany(Log log, byte[] payload) {
    for (int i = 0; i < ROUND_COMMITS; i++) {
      log.reserve(payload.length);
      log.append(1, payload, 0, payload.length);
      acknowledged++;
    }
  }
}
