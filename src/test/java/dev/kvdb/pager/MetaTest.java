package dev.kvdb.pager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.page.PageFormat;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MetaTest {
  private final Random random = new Random(91);

  private Meta meta(boolean clean, boolean withLog) {
    LogStart log =
        withLog
            ? new LogStart(
                random.nextLong(), random.nextLong(), random.nextLong(), random.nextInt())
            : null;
    return new Meta(
        random.nextLong(),
        random.nextLong(),
        random.nextLong(),
        random.nextLong(),
        random.nextLong(),
        random.nextLong(),
        random.nextInt(),
        random.nextLong(),
        random.nextInt(),
        random.nextInt(),
        clean,
        random.nextLong(),
        random.nextLong(),
        log,
        random.nextLong());
  }

  @Test
  void everyFieldComesBack() {
    for (int i = 0; i < 100; i++) {
      Meta meta = meta(i % 2 == 0, i % 3 == 0);
      byte[] page = meta.encode();
      assertEquals(PageFormat.PAGE_BYTES, page.length);
      assertEquals(meta, Meta.decode(page));
      assertTrue(Meta.hasMagic(page));
    }
  }

  @Test
  void aNewStateKeepsTheRest() {
    Meta meta = meta(true, false);
    assertEquals(meta, meta.withNextCommitNumber(5).withNextCommitNumber(meta.nextCommitNumber()));
    assertEquals(5, meta.withNextCommitNumber(5).nextCommitNumber());
    LogStart start = new LogStart(1, 2, 3, 4);
    Meta started = meta.withLog(start, 7, 8, 9);
    assertEquals(start, started.log());
    assertEquals(7, started.nextCommitNumber());
    assertEquals(8, started.nextLsn());
    assertEquals(9, started.nextSlotNumber());
    assertEquals(false, started.clean());
    assertEquals(meta.checkpointNumber(), started.checkpointNumber());
    assertEquals(started, Meta.decode(started.encode()));
  }

  @Test
  void oneFlippedBitAnywhereMakesItNoMeta() {
    byte[] page = meta(false, true).encode();
    for (int bit = 0; bit < FileFormat.META_BYTES * 8; bit++) {
      page[bit / 8] ^= (byte) (1 << bit % 8);
      assertNull(Meta.decode(page), "bit " + bit);
      page[bit / 8] ^= (byte) (1 << bit % 8);
    }
  }

  @Test
  void allOfItLiesInTheBytesThatCannotBeTorn() {
    Meta meta = meta(true, true);
    byte[] page = meta.encode();
    Arrays.fill(page, FileFormat.META_BYTES, page.length, (byte) 0xDE);
    assertEquals(meta, Meta.decode(page));
  }

  @Test
  void zerosOnesAndTornMetasAreNoMeta() {
    byte[] page = new byte[PageFormat.PAGE_BYTES];
    assertNull(Meta.decode(page));
    Arrays.fill(page, (byte) 0xFF);
    assertNull(Meta.decode(page));
    byte[] old = meta(true, false).encode();
    byte[] fresh = meta(false, true).encode();
    for (int cut = 16; cut < FileFormat.META_BYTES; cut++) {
      byte[] torn = old.clone();
      System.arraycopy(fresh, 0, torn, 0, cut);
      if (!Arrays.equals(torn, fresh) && !Arrays.equals(torn, old)) {
        assertNull(Meta.decode(torn), "torn at " + cut);
      }
    }
    assertNotEquals(Meta.decode(old), Meta.decode(fresh));
  }
}
