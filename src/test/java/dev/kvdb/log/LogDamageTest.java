package dev.kvdb.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogDamageTest {
  @TempDir Path directory;

  /** A log of one slot whose records begin at {@link #offsets}; the last offset is the end. */
  private final List<Long> offsets = new ArrayList<>();

  private LogPosition write(LogFixture f, int durableAfter, int... lengths) {
    try (Log log = f.open(1, 1)) {
      LogPosition start = log.start();
      for (int i = 0; i < lengths.length; i++) {
        offsets.add(log.position().offset());
        f.commit(log, lengths[i]);
        if (i + 1 == durableAfter) {
          log.raiseDurable(log.lastLsn());
        }
      }
      offsets.add(log.position().offset());
      return start;
    }
  }

  /** How many records lie wholly before an offset. */
  private int recordsBefore(long offset) {
    int records = 0;
    while (records + 1 < offsets.size() && offsets.get(records + 1) <= offset) {
      records++;
    }
    return records;
  }

  @Test
  void aLogCutAtAnyByteIsAPrefix() {
    LogFixture f = new LogFixture(directory);
    LogPosition start = write(f, 2, 30, 50, 0, 17, 90, 8);
    byte[] whole = LogFixture.bytesOf(f.slotFile(0));
    for (int cut = (int) (long) offsets.get(2); cut <= offsets.getLast(); cut++) {
      int at = cut;
      LogFixture.replace(f.slotFile(0), Arrays.copyOf(whole, cut));
      check(f, start, recordsBefore(cut), () -> "file cut at " + at);
      byte[] zeroed = Arrays.copyOf(whole, whole.length);
      Arrays.fill(zeroed, cut, zeroed.length, (byte) 0);
      LogFixture.replace(f.slotFile(0), zeroed);
      int records = recordsBefore(cut);
      // Padding, and the end of a payload, may be zeros already: then nothing was cut.
      if (Arrays.equals(zeroed, whole)) {
        records = f.appended.size();
      }
      if (LogFixture.read(f.reader(start)).size() != records) {
        assertTrue(isUnchangedRecord(whole, zeroed, records), "zeros from " + cut);
      }
    }
  }

  private boolean isUnchangedRecord(byte[] whole, byte[] zeroed, int record) {
    int from = (int) (long) offsets.get(record);
    int to = (int) (long) offsets.get(record + 1);
    return Arrays.equals(whole, from, to, zeroed, from, to);
  }

  private void check(
      LogFixture f, LogPosition start, int records, java.util.function.Supplier<String> message) {
    LogReader reader = f.reader(start);
    assertEquals(f.appended.subList(0, records), LogFixture.read(reader), message);
    assertEquals(records, reader.summary().lastLsn(), message);
  }

  @Test
  void damageBeforeADurableRecordIsReported() {
    LogFixture f = new LogFixture(directory);
    LogPosition start = write(f, 5, 30, 50, 0, 17, 90, 8, 20);
    byte[] whole = LogFixture.bytesOf(f.slotFile(0));
    for (int record = 0; record < 5; record++) {
      long from = offsets.get(record);
      for (long bit = 8 * from; bit < 8 * offsets.get(record + 1); bit++) {
        byte[] flipped = whole.clone();
        flipped[(int) (bit / 8)] ^= (byte) (1 << bit % 8);
        LogFixture.replace(f.slotFile(0), flipped);
        LogDamagedException e =
            assertThrows(LogDamagedException.class, () -> f.reader(start).summary(), "bit " + bit);
        assertEquals(from, e.offset());
        assertEquals(f.slotFile(0), e.file());
        assertTrue(Arrays.equals(flipped, LogFixture.bytesOf(f.slotFile(0))), "it was changed");
      }
    }
  }

  @Test
  void damageInTheUnsyncedTailIsAShorterHistory() {
    LogFixture f = new LogFixture(directory);
    LogPosition start = write(f, 2, 30, 50, 0, 17, 90, 8, 20);
    byte[] whole = LogFixture.bytesOf(f.slotFile(0));
    for (int record = 2; record < 7; record++) {
      for (long bit = 8 * offsets.get(record); bit < 8 * offsets.get(record + 1); bit++) {
        long at = bit;
        byte[] flipped = whole.clone();
        flipped[(int) (bit / 8)] ^= (byte) (1 << bit % 8);
        LogFixture.replace(f.slotFile(0), flipped);
        check(f, start, record, () -> "bit " + at);
      }
    }
  }

  @Test
  void aWitnessInALaterSlotCounts() {
    LogFixture f = new LogFixture(directory);
    LogPosition start;
    try (Log log = f.open(1, 1)) {
      start = log.start();
      f.commit(log, 1000);
      f.commit(log, 7000);
      f.commit(log, 7000);
      log.raiseDurable(1);
      f.commit(log, 10);
    }
    Path first = f.slotFile(0);
    byte[] bytes = LogFixture.bytesOf(first);
    bytes[LogFormat.HEADER_BLOCK_BYTES + 100]++;
    LogFixture.replace(first, bytes);
    LogDamagedException e =
        assertThrows(LogDamagedException.class, () -> f.reader(start).summary());
    assertEquals(first, e.file());
    assertEquals(LogFormat.HEADER_BLOCK_BYTES, e.offset());
  }

  @Test
  void aLostWholeSlotIsDamageIfItWasDurable() throws IOException {
    LogFixture f = new LogFixture(directory);
    LogPosition start;
    try (Log log = f.open(1, 1)) {
      start = log.start();
      f.commit(log, 4000);
      f.commit(log, 4000);
      f.commit(log, 4000);
    }
    Files.delete(f.slotFile(1));
    LogSummary summary = f.reader(start).summary();
    assertFalse(summary.unbroken());
    assertEquals(f.appended.subList(0, 1), f.read(start), "nothing was known to be durable");
    try (Log log = f.open(10, 1)) {
      f.appended.clear();
      start = log.start();
      f.commit(log, 4000);
      f.commit(log, 4000);
      log.raiseDurable(2);
      f.commit(log, 4000);
    }
    LogPosition damaged = start;
    Files.delete(f.fileOf(11));
    assertThrows(LogDamagedException.class, () -> f.reader(damaged).summary());
  }

  @Test
  void aMissingOrWrongStartSlotIsNoEmptyLog() throws IOException {
    LogFixture f = new LogFixture(directory);
    LogPosition start = write(f, 0, 100, 100);
    LogPosition otherSalt =
        new LogPosition(start.slotNumber(), start.slotSalt() + 1, start.offset(), 1, start.chain());
    assertThrows(LogMissingException.class, () -> f.reader(otherSalt).summary());
    LogPosition later = new LogPosition(2, start.slotSalt(), start.offset(), 1, start.chain());
    assertThrows(LogMissingException.class, () -> f.reader(later).summary());
    LogPosition otherChain =
        new LogPosition(1, start.slotSalt(), start.offset(), 1, start.chain() + 1);
    assertEquals(0, f.reader(otherChain).summary().records());
    Files.copy(f.slotFile(0), f.slotFile(9));
    LogDamagedException e =
        assertThrows(LogDamagedException.class, () -> f.reader(start).summary());
    assertTrue(e.getMessage().contains("P-wal-0") && e.getMessage().contains("P-wal-9"));
    Files.delete(f.slotFile(9));
    Files.delete(f.slotFile(0));
    assertThrows(LogMissingException.class, () -> f.reader(start).summary());
  }

  @Test
  void recordsOfAnEarlierUseOfASlotDoNotFollow() {
    LogFixture f = new LogFixture(directory);
    LogPosition start = write(f, 0, 100, 100, 100, 100, 100);
    f.appended.clear();
    // The same LSNs and lengths again, in the same file: what follows is sound but for the salt.
    try (Log log = f.open(2, 1)) {
      LogPosition again = log.start();
      assertEquals(f.fileOf(1 + 1), f.slotFile(0));
      f.commit(log, 100);
      f.commit(log, 100);
      assertEquals(f.appended, f.read(again));
      LogReader careless = LogReader.open(f.calls, f.scan(), again, new Rules(false, true));
      assertEquals(f.appended, LogFixture.read(careless), "the salt alone keeps them out");
      assertNotEquals(start.slotSalt(), again.slotSalt());
    }
  }

  @Test
  void recordsOfAnAbandonedHistoryDoNotFollow() {
    LogFixture f = new LogFixture(directory);
    f.random = () -> 77; // Even if the random source fails: the chain of checksums is left.
    write(f, 0, 100, 100, 100, 100, 100);
    f.appended.clear();
    try (Log log = f.open(2, 1)) {
      LogPosition again = log.start();
      f.commit(log, 100);
      f.commit(log, 100);
      assertEquals(f.appended, f.read(again));
      LogReader careless = LogReader.open(f.calls, f.scan(), again, new Rules(false, true));
      assertEquals(5, LogFixture.read(careless).size(), "a reader without the rule takes them");
    }
  }

  @Test
  void recycledSlotsNeverShowEarlierLaps() {
    LogFixture f = new LogFixture(directory);
    try (Log log = f.open(1, 1)) {
      log.start();
      for (int lap = 0; lap < 12; lap++) {
        LogPosition checkpoint = log.position();
        int from = f.appended.size();
        log.raiseDurable(log.lastLsn());
        log.release(checkpoint);
        for (int i = 0; i < 7; i++) {
          f.commit(log, 1000);
          assertEquals(f.appended.subList(from, f.appended.size()), f.read(checkpoint));
        }
      }
    }
    assertTrue(f.scan().highestSlotNumber() > 18);
    assertTrue(f.scan().slots().size() <= 6, "slots are used again");
  }

  @Test
  void anUnfinishedBatchIsDropped() {
    LogFixture f = new LogFixture(directory);
    LogPosition start;
    try (Log log = f.open(1, 1)) {
      start = log.start();
      f.commit(log, 10);
    }
    Craft craft = new Craft(f, start);
    craft.skip(f.appended.getFirst().payload().length);
    craft.record(2, 0, 20);
    craft.record(2, 1, 20);
    craft.record(3, 0, 30);
    craft.record(3, 1 | LogFormat.LAST_PART, 30);
    craft.record(4, 1 | LogFormat.LAST_PART, 5);
    craft.record(5, 0, 40);
    craft.record(6, 1 | LogFormat.LAST_PART, 40);
    craft.record(7, LogFormat.LAST_PART, 50);
    craft.record(8, 0, 60);
    craft.record(8, 2 | LogFormat.LAST_PART, 60);
    craft.record(9, 0, 3000);
    craft.save();
    LogReader reader = f.reader(start);
    List<String> found = LogFixture.read(reader).stream().map(Object::toString).toList();
    assertEquals(List.of("1:10 bytes", "3:60 bytes", "7:50 bytes"), found);
    LogSummary summary = reader.summary();
    assertEquals(12, summary.records());
    assertEquals(3, summary.commits());
    assertEquals(10, summary.nextCommitNumber());
    LogReader careless = LogReader.open(f.calls, f.scan(), start, new Rules(true, false));
    assertEquals("3:100 bytes", LogFixture.read(careless).get(1).toString());
  }

  /** Writes records by hand behind those of a log. */
  private static final class Craft {
    private final LogFixture fixture;
    private final LogPosition start;
    private final RecordBuilder builder = new RecordBuilder();
    private final byte[] file;
    private int offset;
    private long lsn;
    private int chain;

    Craft(LogFixture fixture, LogPosition start) {
      this.fixture = fixture;
      this.start = start;
      file = LogFixture.bytesOf(fixture.slotFile(0));
      offset = (int) start.offset();
      lsn = start.nextLsn();
    }

    void skip(int payloadBytes) {
      chain = (int) LogFormat.INT.get(file, offset);
      offset += LogFormat.recordBytes(payloadBytes);
      lsn++;
    }

    void record(long commit, int part, int length) {
      int size =
          builder.build(
              start.slotSalt(), chain, part, lsn++, 0, commit, new byte[length], 0, length);
      System.arraycopy(builder.bytes, RecordBuilder.START, file, offset, size);
      chain = builder.checksum();
      offset += size;
    }

    void save() {
      LogFixture.replace(fixture.slotFile(0), file);
    }
  }
}
