package dev.kvdb.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Damage within one page: the checker names it, and never fails on it. */
class PageCheckerTest {
  /** Keys follow each other without a gap, so that a flipped head leaves the order. */
  private static LeafPage densePage() {
    LeafPage page = new LeafPage(key(0x0100), key(0x0200), 0, null);
    for (int i = 0x0100; i < 0x0200; i++) {
      page.insert(key(i), i % 3);
    }
    assertEquals(0x0100, page.keys.size());
    return page;
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(4).putInt(number).array();
  }

  /** Keys that reach into their cells, so that a changed length changes the sum of bytes. */
  private static LeafPage longKeyPage() {
    LeafPage page = new LeafPage(null, null, 0, new byte[0]);
    for (int i = 0; i < 90; i++) {
      byte[] key = new byte[20];
      ByteBuffer.wrap(key).putInt(i);
      page.insert(key, 7);
    }
    return page;
  }

  private static void requireReported(LeafPage page, int firstByte, int endByte, String what) {
    assertEquals(java.util.List.of(), page.problems());
    for (int bit = firstByte * 8; bit < endByte * 8; bit++) {
      flip(page, bit);
      assertFalse(page.problems().isEmpty(), what + ": bit " + bit);
      flip(page, bit);
    }
    assertEquals(java.util.List.of(), page.problems());
  }

  private static void flip(LeafPage page, int bit) {
    long at = LeafPage.AT + bit / 8;
    page.m.set(PageFormat.BYTE, at, (byte) (page.m.get(PageFormat.BYTE, at) ^ 1 << bit % 8));
  }

  @Test
  void everyFlippedBitOfTheHeaderIsReported() {
    for (LeafPage page : new LeafPage[] {densePage(), longKeyPage()}) {
      requireReported(page, PageFormat.TYPE, PageFormat.PREFIX_LENGTH, "header");
    }
    requireReported(densePage(), PageFormat.PREFIX_LENGTH, PageFormat.LAST_INSERT, "fences");
  }

  @Test
  void everyFlippedBitOfAnOffsetOrALengthIsReported() {
    LeafPage page = longKeyPage();
    for (int i = 0; i < page.keys.size(); i++) {
      int slot = PageFormat.HEADER_BYTES + i * TreePage.SLOT_BYTES;
      requireReported(page, slot, slot + 4, "slot " + i);
    }
  }

  @Test
  void everyFlippedBitOfAHeadIsReported() {
    LeafPage page = densePage();
    for (int i = 0; i < page.keys.size(); i++) {
      int slot = PageFormat.HEADER_BYTES + i * TreePage.SLOT_BYTES;
      requireReported(page, slot + 4, slot + 8, "slot " + i);
    }
  }

  @Test
  void everyFlippedBitOfAValueLengthIsReported() {
    LeafPage page = densePage();
    for (int i = 0; i < page.keys.size(); i++) {
      int cell = TreePage.cellOffset(page.m, LeafPage.AT, i);
      requireReported(page, cell, cell + 2, "value of " + i);
    }
  }

  @Test
  void keysAndFencesBeyondTheLimitAreReported() {
    for (int length : new int[] {1001, 1990, 2500, 3500}) {
      LeafPage lower = new LeafPage(new byte[length], null, 0, new byte[0]);
      lower.insert(new byte[] {1}, 0);
      assertFalse(lower.problems().isEmpty(), "lower fence of " + length);
      byte[] bytes = new byte[length];
      bytes[0] = 2;
      LeafPage upper = new LeafPage(null, bytes, 0, new byte[0]);
      upper.insert(new byte[] {1}, 0);
      assertFalse(upper.problems().isEmpty(), "upper fence of " + length);
      LeafPage key = new LeafPage(null, null, 0, new byte[0]);
      key.insert(bytes, 0);
      assertFalse(key.problems().isEmpty(), "key of " + length);
      LeafPage prefix = new LeafPage(null, null, length, bytes);
      assertFalse(prefix.problems().isEmpty(), "prefix of " + length);
    }
  }

  @Test
  void swappedSlotsAreReported() {
    LeafPage page = densePage();
    for (int i = 0; i + 1 < page.keys.size(); i++) {
      long a = LeafPage.AT + PageFormat.HEADER_BYTES + (long) i * TreePage.SLOT_BYTES;
      long first = page.m.get(PageFormat.LONG, a);
      long second = page.m.get(PageFormat.LONG, a + TreePage.SLOT_BYTES);
      page.m.set(PageFormat.LONG, a, second);
      page.m.set(PageFormat.LONG, a + TreePage.SLOT_BYTES, first);
      assertFalse(page.problems().isEmpty());
      page.m.set(PageFormat.LONG, a, first);
      page.m.set(PageFormat.LONG, a + TreePage.SLOT_BYTES, second);
    }
  }

  /** What the checker calls whole must be whole: every key is found where it stands. */
  @ParameterizedTest
  @ValueSource(longs = {61, 62, 63, 64})
  void pagesOfGarbageAreReportedOrReadable(long seed) {
    Random random = new Random(seed);
    int whole = 0;
    for (int i = 0; i < 3000; i++) {
      LeafPage page = i % 2 == 0 ? densePage() : longKeyPage();
      for (int j = random.nextInt(4); j >= 0; j--) {
        // Mostly in header and slots, where it hurts.
        int end = random.nextInt(4) == 0 ? PageFormat.PAGE_BYTES : 600;
        int at = PageFormat.CELL_COUNT + random.nextInt(end - PageFormat.CELL_COUNT);
        page.m.set(PageFormat.BYTE, LeafPage.AT + at, (byte) random.nextInt());
      }
      if (page.problems().isEmpty()) {
        whole++;
        for (int k = 0; k < TreePage.count(page.m, LeafPage.AT); k++) {
          byte[] key = page.keyAt(k);
          assertEquals(k, TreePage.search(page.m, LeafPage.AT, key, 0, key.length), "seed " + seed);
        }
      }
    }
    assertFalse(whole == 0, "no damage was harmless: the test looks at nothing");
  }

  @Test
  void bytesAtRandomAreNoPage() {
    Random random = new Random(65);
    LeafPage page = densePage();
    byte[] bytes = new byte[PageFormat.PAGE_BYTES - PageFormat.CELL_COUNT];
    for (int i = 0; i < 3000; i++) {
      random.nextBytes(bytes);
      // Some with small numbers, which lead further than random ones.
      for (int j = 0; j < 12 && i % 2 == 0; j += 2) {
        bytes[j + 1] &= 3;
      }
      java.lang.foreign.MemorySegment.copy(
          bytes, 0, page.m, PageFormat.BYTE, LeafPage.AT + PageFormat.CELL_COUNT, bytes.length);
      assertFalse(page.problems().isEmpty());
    }
  }
}
