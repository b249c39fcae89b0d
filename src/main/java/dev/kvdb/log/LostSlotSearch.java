package dev.kvdb.log;

import static dev.kvdb.log.LogFormat.INT;
import static dev.kvdb.log.LogFormat.LONG;

import dev.kvdb.log.LogDirectory.Slot;
import dev.kvdb.log.LogDirectory.SlotName;
import dev.kvdb.nativecalls.NativeCalls;
import java.util.List;

/**
 * Finds the slot that the log should go on in, among the files whose header says that they are no
 * slot of this database.
 *
 * <p>A header is durable before the first record behind it is written, and its fields lie in one
 * sector. So no crash leaves a file without a good header whose first record continues the log:
 * where there is one, its header was damaged, and the commits in it would be lost without a word.
 * The record is known by its LSN and by the checksum of the record before it; its own checksum
 * cannot be asked, because the salt is in the header.
 */
final class LostSlotSearch {
  private final NativeCalls calls;
  private final SlotWindow window;

  LostSlotSearch(NativeCalls calls, SlotWindow window) {
    this.calls = calls;
    this.window = window;
  }

  /**
   * @param end where the trusted records end
   * @throws LogDamagedException if one of the files continues the log there
   */
  void run(List<SlotName> files, LogPosition end) {
    for (SlotName file : files) {
      NativeCalls.FileStatus status = calls.status(file.path());
      if (status != null && status.isRegularFile() && continues(file, status.size(), end)) {
        throw new LogDamagedException(
            file.path(),
            0,
            "the header of this log slot is damaged, and the log goes on in it with record "
                + end.nextLsn()
                + "; restore the file from a copy");
      }
    }
  }

  private boolean continues(SlotName file, long size, LogPosition end) {
    window.enter(new Slot(file, 0, 0, size));
    int index = window.find(LogFormat.HEADER_BLOCK_BYTES, LogFormat.RECORD_HEADER_BYTES);
    return index >= 0
        && (long) LONG.get(window.bytes(), index + LogFormat.RECORD_LSN) == end.nextLsn()
        && (int) INT.get(window.bytes(), index + LogFormat.RECORD_PREVIOUS) == end.chain();
  }
}
