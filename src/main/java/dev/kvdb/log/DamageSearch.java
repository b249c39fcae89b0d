package dev.kvdb.log;

import static dev.kvdb.log.LogFormat.LONG;

import dev.kvdb.log.LogDirectory.Slot;
import java.util.List;

/**
 * Tells damage from a torn tail. A crash may tear off records that were never made durable, and
 * then no record of the chain can know otherwise. So every place behind the end is searched for a
 * sound record that names a durable LSN the end does not reach.
 *
 * <p>Records that a failed commit left behind may be found too: what they say of durability was
 * true when they were written, and what is durable is never taken back.
 */
final class DamageSearch {
  private final SlotWindow window;
  private final RecordView record;
  private final List<Slot> chain;
  private final int slotIndex;
  private final long end;
  private final long missingLsn;

  /**
   * @param slotIndex in {@code chain}, of the slot in which the trusted records end
   * @param end the offset there
   * @param missingLsn the LSN of the record that is not there
   */
  DamageSearch(
      SlotWindow window,
      RecordView record,
      List<Slot> chain,
      int slotIndex,
      long end,
      long missingLsn) {
    this.window = window;
    this.record = record;
    this.chain = chain;
    this.slotIndex = slotIndex;
    this.end = end;
    this.missingLsn = missingLsn;
  }

  /**
   * @throws LogDamagedException if the missing record was durable
   */
  void run() {
    long from = end;
    for (Slot slot : chain.subList(slotIndex, chain.size())) {
      window.enter(slot);
      search(slot, from);
      from = LogFormat.HEADER_BLOCK_BYTES;
    }
  }

  private void search(Slot slot, long from) {
    byte[] bytes = window.bytes();
    long offset = from;
    while (true) {
      int index = window.find(offset, LogFormat.RECORD_HEADER_BYTES);
      if (index < 0) {
        return;
      }
      int last = index + window.remaining(offset) - LogFormat.RECORD_HEADER_BYTES;
      int candidate = index;
      while (candidate <= last && !isWitness(bytes, candidate)) {
        candidate += LogFormat.ALIGNMENT;
      }
      offset += candidate - index;
      if (candidate <= last) {
        if (record.read(offset) && record.isSound()) {
          throw damaged(slot, offset);
        }
        offset += LogFormat.ALIGNMENT;
      }
    }
  }

  /** Whether the LSNs of what would be a record here say that the missing record was durable. */
  private boolean isWitness(byte[] bytes, int index) {
    long lsn = (long) LONG.get(bytes, index + LogFormat.RECORD_LSN);
    if (lsn <= missingLsn) {
      return false;
    }
    long durable = (long) LONG.get(bytes, index + LogFormat.RECORD_DURABLE_LSN);
    return durable >= missingLsn && durable < lsn;
  }

  private LogDamagedException damaged(Slot slot, long offset) {
    return new LogDamagedException(
        chain.get(slotIndex).name().path(),
        end,
        "the log is damaged: record "
            + missingLsn
            + " should stand here, and record "
            + record.lsn
            + " in "
            + slot.name().path()
            + " at offset "
            + offset
            + " shows that all up to "
            + record.durableLsn
            + " were durable; restore the file from a copy");
  }
}
