package dev.kvdb.page;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Searches and changes within one page, against lists of keys. */
class TreePageTest {

  /** Short keys over few bytes, behind one of a few prefixes: many equal heads, many neighbours. */
  @Provide
  Arbitrary<byte[]> keys() {
    Arbitrary<Byte> hard = Arbitraries.of((byte) 0, (byte) 1, (byte) 0x7F, (byte) 0x80, (byte) -1);
    Arbitrary<byte[]> tail = hard.array(byte[].class).ofMaxSize(9);
    Arbitrary<byte[]> prefix =
        Arbitraries.of(
            new byte[0], new byte[] {1, 1, 1, 1, 1}, new byte[] {1, 1, 1, -1}, new byte[12]);
    return Combinators.combine(prefix, tail)
        .as(
            (a, b) -> {
              byte[] key = Arrays.copyOf(a, a.length + b.length);
              System.arraycopy(b, 0, key, a.length, b.length);
              return key;
            });
  }

  @Provide
  Arbitrary<List<byte[]>> keyLists() {
    return keys().list().ofMaxSize(60);
  }

  private static void requireSearch(LeafPage page, byte[] key) {
    int expected = LeafPage.naiveSearch(page.keys, key);
    // The key lies between other bytes, which must not be looked at.
    for (byte around : new byte[] {0, -1}) {
      byte[] source = new byte[key.length + 16];
      Arrays.fill(source, around);
      System.arraycopy(key, 0, source, 5, key.length);
      assertEquals(expected, TreePage.search(page.m, LeafPage.AT, source, 5, key.length));
    }
  }

  @Property(tries = 400, seed = "71")
  void searchOnAPageWithoutFences(
      @ForAll("keyLists") List<byte[]> inserted, @ForAll("keyLists") List<byte[]> probes) {
    byte[] first = inserted.isEmpty() ? new byte[0] : inserted.getFirst();
    int prefix = first.length;
    for (byte[] key : inserted) {
      prefix = Math.min(prefix, LeafPage.common(first, key));
    }
    LeafPage page = new LeafPage(null, null, prefix, first);
    for (byte[] key : inserted) {
      page.insert(key, 3);
    }
    assertEquals(List.of(), page.problems());
    for (byte[] key : inserted) {
      requireSearch(page, key);
      requireSearch(page, Arrays.copyOf(key, key.length / 2));
      requireSearch(page, Arrays.copyOf(key, key.length + 1));
    }
    probes.forEach(key -> requireSearch(page, key));
  }

  @Property(tries = 400, seed = "71")
  void searchBetweenFences(
      @ForAll("keys") byte[] oneEnd,
      @ForAll("keys") byte[] otherEnd,
      @ForAll("keyLists") List<byte[]> inserted,
      @ForAll("keyLists") List<byte[]> probes) {
    boolean ascending = Arrays.compareUnsigned(oneEnd, otherEnd) < 0;
    byte[] lower = ascending ? oneEnd : otherEnd;
    byte[] upper = ascending ? otherEnd : oneEnd;
    if (Arrays.equals(lower, upper)) {
      upper = Arrays.copyOf(upper, upper.length + 1);
    }
    LeafPage page = new LeafPage(lower, upper, 0, null);
    for (byte[] key : inserted) {
      if (isWithin(key, lower, upper)) {
        page.insert(key, 0);
      }
    }
    assertEquals(List.of(), page.problems());
    requireSearch(page, lower);
    for (byte[] key : probes) {
      if (isWithin(key, lower, upper)) {
        requireSearch(page, key);
      }
    }
    byte[] buffer = new byte[2 * PageFormat.KEY_BYTES_MAX];
    int length = TreePage.copyLowerFence(page.m, LeafPage.AT, buffer);
    assertArrayEquals(lower, Arrays.copyOf(buffer, length));
    length = TreePage.copyUpperFence(page.m, LeafPage.AT, buffer);
    assertArrayEquals(upper, Arrays.copyOf(buffer, length));
    // Once a fence is dropped, keys from beyond it may be looked for.
    TreePage.dropLowerFence(page.m, LeafPage.AT);
    probes.forEach(
        key -> {
          if (isWithin(key, new byte[0], upper(page))) {
            requireSearch(page, key);
          }
        });
    TreePage.dropUpperFence(page.m, LeafPage.AT);
    probes.forEach(key -> requireSearch(page, key));
    assertEquals(List.of(), page.problems());
  }

  private static byte[] upper(LeafPage page) {
    byte[] buffer = new byte[2 * PageFormat.KEY_BYTES_MAX];
    return Arrays.copyOf(buffer, TreePage.copyUpperFence(page.m, LeafPage.AT, buffer));
  }

  private static boolean isWithin(byte[] key, byte[] lower, byte[] upper) {
    return Arrays.compareUnsigned(lower, key) <= 0 && Arrays.compareUnsigned(key, upper) < 0;
  }

  @Property(tries = 200, seed = "72")
  void insertionsAndRemovalsKeepThePageWhole(
      @ForAll("keyLists") List<byte[]> inserted, @ForAll long seed) {
    Random random = new Random(seed);
    LeafPage page = new LeafPage(null, null, 0, new byte[0]);
    for (byte[] key : inserted) {
      page.insert(key, random.nextInt(120));
      if (random.nextInt(3) == 0 && !page.keys.isEmpty()) {
        int from = random.nextInt(page.keys.size() + 1);
        page.remove(from, from + random.nextInt(page.keys.size() - from + 1));
      }
      assertEquals(List.of(), page.problems());
      assertEquals(page.keys.size(), TreePage.count(page.m, LeafPage.AT));
      for (int i = 0; i < page.keys.size(); i++) {
        assertArrayEquals(page.keys.get(i), page.keyAt(i));
      }
    }
  }
}
