package dev.kvdb.api;

import static dev.kvdb.api.Bytes.bytes;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.KeyRange;
import dev.kvdb.Limits;
import dev.kvdb.page.PageFormat;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** Ranges of keys, and the limits. */
class KeyRangeTest {
  @Property(tries = 500)
  void aPrefixRangeHoldsWhatBeginsWithIt(
      @ForAll @Size(max = 3) byte[] prefix, @ForAll @Size(max = 5) byte[] key) {
    boolean begins =
        key.length >= prefix.length
            && Arrays.equals(prefix, 0, prefix.length, key, 0, prefix.length);
    assertEquals(begins, KeyRange.prefix(prefix).contains(key));
  }

  @Property(tries = 500)
  void anIntersectionHoldsWhatBothHold(
      @ForAll @Size(max = 2) byte[] a,
      @ForAll @Size(max = 2) byte[] b,
      @ForAll @Size(max = 2) byte[] c,
      @ForAll @Size(max = 2) byte[] key) {
    KeyRange[] ranges = {
      KeyRange.all(), KeyRange.atLeast(a), KeyRange.below(b), KeyRange.between(a, c)
    };
    for (KeyRange first : ranges) {
      for (KeyRange second : ranges) {
        KeyRange both = first.intersect(second);
        assertEquals(first.contains(key) && second.contains(key), both.contains(key));
        assertFalse(both.isEmpty() && both.contains(key));
      }
    }
  }

  @Test
  void boundsAreCopies() {
    byte[] from = bytes("a");
    KeyRange range = KeyRange.atLeast(from);
    from[0] = 'z';
    assertArrayEquals(bytes("a"), range.from());
    range.from()[0] = 'z';
    assertArrayEquals(bytes("a"), range.from());
    assertNull(range.to());
    assertEquals(KeyRange.atLeast(bytes("a")), range);
    assertEquals(KeyRange.atLeast(bytes("a")).hashCode(), range.hashCode());
  }

  @Test
  void wrongBoundsAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> KeyRange.atLeast(null));
    assertThrows(
        IllegalArgumentException.class, () -> KeyRange.prefix(new byte[Limits.KEY_BYTES_MAX + 1]));
    assertTrue(KeyRange.between(bytes("b"), bytes("a")).isEmpty());
    assertFalse(KeyRange.all().isEmpty());
  }

  @Test
  void theLimitsAreThoseOfThePages() {
    assertEquals(PageFormat.KEY_BYTES_MAX, Limits.KEY_BYTES_MAX);
    assertEquals(PageFormat.VALUE_BYTES_MAX, Limits.VALUE_BYTES_MAX);
  }
}
