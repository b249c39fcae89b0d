package dev.kvdb.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PageChecksumTest {
  /** The polynomial of CRC32C with its bits reversed. */
  private static final int POLYNOMIAL = 0x82F63B78;

  private final Random random = new Random(51);
  private final PageChecksum checksum = new PageChecksum();

  /** CRC32C a bit at a time: over the page's number, then over what lies behind the checksum. */
  private static int straightforward(int page, byte[] bytes) {
    int crc = -1;
    for (int i = 0; i < Integer.BYTES; i++) {
      crc = next(crc, (byte) (page >>> 8 * i));
    }
    for (int i = Integer.BYTES; i < PageFormat.PAGE_BYTES; i++) {
      crc = next(crc, bytes[i]);
    }
    return ~crc;
  }

  private static int next(int crc, byte value) {
    int state = crc ^ (value & 0xFF);
    for (int bit = 0; bit < 8; bit++) {
      state = (state & 1) != 0 ? state >>> 1 ^ POLYNOMIAL : state >>> 1;
    }
    return state;
  }

  private byte[] randomPage(int page) {
    byte[] bytes = new byte[PageFormat.PAGE_BYTES];
    random.nextBytes(bytes);
    ByteBuffer.wrap(bytes)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(PageFormat.CHECKSUM, checksum.compute(page, bytes));
    return bytes;
  }

  @Test
  void itIsTheCrcOfNumberAndContent() {
    for (int page : new int[] {0, 1, 255, 256, 70_000, Integer.MAX_VALUE, -1}) {
      byte[] bytes = randomPage(page);
      assertEquals(straightforward(page, bytes), checksum.compute(page, bytes));
    }
  }

  @Test
  void aBufferOfManyPagesGivesTheSame() {
    int pages = 5;
    ByteBuffer buffer = ByteBuffer.allocateDirect(pages * PageFormat.PAGE_BYTES);
    byte[][] each = new byte[pages][];
    for (int i = 0; i < pages; i++) {
      each[i] = randomPage(i);
      buffer.put(i * PageFormat.PAGE_BYTES, each[i]);
    }
    for (int i = pages - 1; i >= 0; i--) {
      int computed = checksum.compute(40 + i, buffer, i * PageFormat.PAGE_BYTES);
      assertEquals(straightforward(40 + i, each[i]), computed);
    }
  }

  @Test
  void aPageInThePlaceOfAnotherIsNotRight() {
    byte[] seven = randomPage(7);
    byte[] eight = randomPage(8);
    assertTrue(PageChecksum.isRight(7, seven));
    assertTrue(PageChecksum.isRight(8, eight));
    assertFalse(PageChecksum.isRight(7, eight));
    assertFalse(PageChecksum.isRight(8, seven));
    assertNotEquals(checksum.compute(7, seven), checksum.compute(7 << 8, seven));
  }

  @Test
  void everyFlippedBitIsNoticed() {
    byte[] bytes = randomPage(9);
    for (int bit = 0; bit < PageFormat.PAGE_BYTES * 8; bit++) {
      bytes[bit / 8] ^= (byte) (1 << bit % 8);
      assertFalse(PageChecksum.isRight(9, bytes), "bit " + bit);
      bytes[bit / 8] ^= (byte) (1 << bit % 8);
    }
    assertTrue(PageChecksum.isRight(9, bytes));
  }
}
