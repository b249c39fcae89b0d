package dev.kvdb.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.page.PageFormat;
import dev.kvdb.page.TreePage;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Trees at the limits of the format. */
class TreeWorstCaseTest {
  private static final int KEY_MAX = PageFormat.KEY_BYTES_MAX;
  private static final int VALUE_MAX = PageFormat.VALUE_BYTES_MAX;
  private static final byte[] BIG = new byte[VALUE_MAX];

  private final TreeModel tree = new TreeModel(PlainPager.paranoid(3, 8192));

  /** Orders of insertion and of deletion. */
  enum Order {
    ASCENDING,
    DESCENDING,
    OUTSIDE_IN,
    SHUFFLED;

    List<byte[]> of(List<byte[]> sorted, Random random) {
      List<byte[]> keys = new ArrayList<>(sorted);
      switch (this) {
        case DESCENDING -> Collections.reverse(keys);
        case SHUFFLED -> Collections.shuffle(keys, random);
        case OUTSIDE_IN -> {
          for (int i = 1; i < keys.size(); i += 2) {
            keys.add(keys.remove(keys.size() - 1 - i / 2));
          }
        }
        default -> {
          // As they are.
        }
      }
      return keys;
    }
  }

  private static byte[] filled(int length, int fill) {
    byte[] key = new byte[length];
    Arrays.fill(key, (byte) fill);
    return key;
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] join(byte[] a, byte[] b) {
    byte[] joined = Arrays.copyOf(a, a.length + b.length);
    System.arraycopy(b, 0, joined, a.length, b.length);
    return joined;
  }

  /** Keys of the greatest length that differ in a number at a place. */
  private static List<byte[]> longKeys(int count, int place) {
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      byte[] key = filled(KEY_MAX, 'k');
      System.arraycopy(KeyMaker.number(i), 0, key, place, 4);
      keys.add(key);
    }
    return keys;
  }

  /** Twins that differ in their last byte only: separators within a pair are of full length. */
  private static List<byte[]> twins(int pairs) {
    List<byte[]> keys = new ArrayList<>();
    for (byte[] key : longKeys(pairs, 0)) {
      for (char last : new char[] {'a', 'b', 'c'}) {
        byte[] twin = key.clone();
        twin[KEY_MAX - 1] = (byte) last;
        keys.add(twin);
      }
    }
    return keys;
  }

  private void fillAndEmpty(List<byte[]> sorted, Order order, byte[] value, long seed) {
    Random random = new Random(seed);
    int step = 0;
    for (byte[] key : order.of(sorted, random)) {
      tree.put(key, value);
      if (++step % 16 == 0) {
        tree.commit();
        tree.check();
      }
    }
    tree.check();
    tree.compareAll();
    for (byte[] key : order.of(sorted, random)) {
      tree.delete(key);
      if (++step % 16 == 0) {
        tree.commit();
        tree.check();
      }
    }
    assertEquals(0, tree.pager.livePages());
  }

  // ------------------------------------------------------------------ the largest entries

  @ParameterizedTest
  @CsvSource({
    "ASCENDING, 0", "DESCENDING, 0", "OUTSIDE_IN, 0", "SHUFFLED, 0",
    "ASCENDING, 500", "DESCENDING, 500", "OUTSIDE_IN, 500", "SHUFFLED, 500",
    "ASCENDING, 996", "DESCENDING, 996", "OUTSIDE_IN, 996", "SHUFFLED, 996",
  })
  void theLargestEntriesInEveryOrder(Order order, int place) {
    fillAndEmpty(longKeys(200, place), order, BIG, place);
  }

  @ParameterizedTest
  @EnumSource(Order.class)
  void separatorsOfTheGreatestLength(Order order) {
    fillAndEmpty(twins(100), order, BIG, 4);
  }

  @ParameterizedTest
  @EnumSource(Order.class)
  void separatorsOfTheGreatestLengthOverSmallValues(Order order) {
    fillAndEmpty(twins(100), order, new byte[0], 5);
  }

  @Test
  void aTreeOfFiveLevelsAndMore() {
    TreeModel high = new TreeModel(PlainPager.steady(20_000));
    List<byte[]> keys = twins(1500);
    for (byte[] key : Order.SHUFFLED.of(keys, new Random(6))) {
      high.put(key, BIG);
    }
    high.check();
    assertTrue(high.writer.height() >= 5, () -> "height " + high.writer.height());
    high.compareAll();
    for (byte[] key : Order.SHUFFLED.of(keys, new Random(7))) {
      high.delete(key);
    }
    assertEquals(0, high.pager.livePages());
  }

  // ------------------------------------------------------------------ full to the byte

  /** Four entries that take a quarter of the page each: no prefix, keys in their slots. */
  private void fillExactly() {
    int value = TreePage.CAPACITY_BYTES / 4 - TreePage.LEAF_CELL_BYTES - TreePage.SLOT_BYTES;
    for (String key : new String[] {"a000", "b000", "c000", "d000"}) {
      tree.put(text(key), new byte[value]);
    }
  }

  @Test
  void aPageCanBeFilledToTheByte() {
    fillExactly();
    assertEquals(1.0, tree.check().fill());
    assertEquals(1, tree.pager.livePages());
    tree.compareAll();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a000", "b000", "c000", "d000"})
  void oneByteMoreThanAPageSplitsIt(String key) {
    fillExactly();
    tree.put(text(key), new byte[tree.get(text(key)).length + 1]);
    assertEquals(2, tree.check().leaves());
    tree.compareAll();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a000", "b000", "c000", "d000"})
  void aFullPageTakesBackWhatItGaveUp(String key) {
    fillExactly();
    byte[] value = tree.get(text(key));
    tree.put(text(key), new byte[0]);
    tree.put(text(key), value);
    assertEquals(1.0, tree.check().fill());
    tree.delete(text(key));
    tree.put(text(key), value);
    assertEquals(1.0, tree.check().fill());
    tree.compareAll();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "a0000", "b", "c1", "e"})
  void anEmptyEntryMoreThanAPageSplitsIt(String key) {
    fillExactly();
    tree.put(text(key), new byte[0]);
    assertEquals(2, tree.check().leaves());
    tree.compareAll();
  }

  // ------------------------------------------------------------------ heads and prefixes

  @ParameterizedTest
  @EnumSource(Order.class)
  void runsOfEqualHeads(Order order) {
    List<byte[]> keys = new ArrayList<>();
    for (char group = 'A'; group < 'G'; group++) {
      for (int i = 0; i < 60; i++) {
        keys.add(join(text(group + "xxxxxxxxxxx"), KeyMaker.number(i)));
        keys.add(join(text(group + "xxx"), new byte[i / 8]));
      }
    }
    keys.sort(Arrays::compareUnsigned);
    List<byte[]> distinct = new ArrayList<>();
    for (byte[] key : keys) {
      if (distinct.isEmpty() || !Arrays.equals(distinct.getLast(), key)) {
        distinct.add(key);
      }
    }
    fillAndEmpty(distinct, order, new byte[9], 8);
  }

  @ParameterizedTest
  @CsvSource({
    "ASCENDING, 97", "DESCENDING, 97", "SHUFFLED, 97",
    "ASCENDING, 0", "DESCENDING, 0", "SHUFFLED, 0",
    "ASCENDING, 255", "DESCENDING, 255", "SHUFFLED, 255",
  })
  void keysThatContinueEachOther(Order order, int fill) {
    List<byte[]> keys = new ArrayList<>();
    for (int length = 0; length <= KEY_MAX; length++) {
      keys.add(filled(length, fill));
    }
    fillAndEmpty(keys, order, new byte[3], 9);
  }

  /** Entries that are large only because they lose the prefix their page has. */
  @ParameterizedTest
  @CsvSource({
    "900, 3, 900",
    "900, 60, 20",
    "990, 300, 0",
    "500, 5, 200",
    "700, 1000, 10",
    "990, 1000, 20",
  })
  void edgePagesLoseTheirPrefix(int prefix, int entries, int valueBytes) {
    for (byte[] stranger :
        List.of(
            text(""),
            text("a"),
            filled(KEY_MAX, 'a'),
            text("z"),
            filled(KEY_MAX, 0xFF),
            filled(prefix / 2, 'p'),
            join(filled(prefix / 2, 'p'), filled(KEY_MAX - prefix / 2, 'z')))) {
      TreeModel edge = new TreeModel(PlainPager.paranoid(prefix, 2048));
      for (int i = 0; i < entries; i++) {
        edge.put(join(filled(prefix, 'p'), KeyMaker.number(i)), new byte[valueBytes]);
      }
      edge.check();
      edge.put(stranger, BIG);
      edge.check();
      edge.compareAll();
      edge.delete(stranger);
      edge.check();
      edge.compareAround(stranger);
      edge.put(stranger, new byte[0]);
      edge.deleteRange(KeyMaker.number(0), null);
      edge.check();
      edge.compareAll();
    }
  }

  @Test
  void aLargeEntryBetweenLongFencesTakesThreePages() {
    byte[] low = filled(KEY_MAX, 'a');
    byte[] middle = filled(KEY_MAX, 'c');
    byte[] first = middle.clone();
    byte[] second = middle.clone();
    byte[] third = middle.clone();
    first[KEY_MAX - 1] = 'a';
    second[KEY_MAX - 1] = 'b';
    third[KEY_MAX - 1] = 'c';
    byte[] lowTwin = low.clone();
    lowTwin[KEY_MAX - 1] = 'b';
    // The separator of the two low keys is of full length: the fence of what follows.
    tree.put(low, BIG);
    tree.put(lowTwin, new byte[1]);
    tree.put(text("d"), BIG);
    tree.put(text("e"), BIG);
    tree.put(first, new byte[494]);
    tree.put(third, new byte[557]);
    tree.check();
    tree.put(second, BIG);
    tree.check();
    tree.compareAll();
    for (byte[] key : List.of(second, low, third, text("d"), first, lowTwin, text("e"))) {
      tree.delete(key);
      tree.check();
      tree.compareAll();
    }
  }

  /**
   * An underfull page keeps a long prefix because of fences that are no longer the shortest; beside
   * a full one, no division of the two with fresh separators fits.
   */
  @Test
  void pagesThatCannotBeDividedAnewStayAsTheyAre() {
    byte[] stem = filled(900, 'c');
    for (int i = 0; i < 4; i++) {
      tree.put(text("b" + i), new byte[500]);
    }
    byte[] lastOfLeft = join(stem, text("0"));
    byte[] firstOfRight = join(stem, text("a"));
    tree.put(lastOfLeft, new byte[500]);
    tree.put(firstOfRight, new byte[900]);
    assertEquals(2, tree.check().leaves());
    for (char last = 'b'; last < 'i'; last++) {
      tree.put(join(stem, text("" + last)), new byte[0]);
    }
    tree.delete(lastOfLeft);
    int free = TreePage.CAPACITY_BYTES - 901 - 4 * 510;
    tree.put(text("b4"), new byte[500]);
    tree.put(text("b5"), new byte[free - 510 - 10]);
    assertEquals(2, tree.check().leaves());
    tree.commit();
    tree.delete(firstOfRight);
    assertEquals(2, tree.check().leaves());
    tree.compareAll();
    tree.deleteRange(text("b"), text("c"));
    assertEquals(1, tree.check().leaves());
    tree.compareAll();
  }

  // ------------------------------------------------------------------ range deletes, height

  @Test
  void everyCombinationOfBounds() {
    List<byte[]> bounds = new ArrayList<>();
    bounds.add(null);
    for (String text : new String[] {"", "k", "k0000", "k0001", "k00010", "k0100", "k0199", "l"}) {
      bounds.add(text(text));
    }
    for (byte[] from : bounds) {
      for (byte[] to : bounds) {
        TreeModel model = new TreeModel(PlainPager.paranoid(11, 256));
        for (int i = 0; i < 200; i++) {
          model.put(join(text("k"), KeyMaker.number(i)), new byte[60]);
        }
        model.commit();
        model.deleteRange(from, to);
        model.check();
        model.compareAll();
      }
    }
  }

  @Test
  void aRangeWithoutEntriesChangesNoPage() {
    for (int i = 0; i < 2000; i++) {
      tree.put(join(text("k"), KeyMaker.number(i)), new byte[60]);
    }
    tree.commit();
    long made = tree.pager.allocated();
    tree.deleteRange(text("k0500a"), text("k0500b"));
    tree.deleteRange(text("l"), null);
    tree.deleteRange(null, text("a"));
    tree.deleteRange(text("k1"), text("k0"));
    tree.deleteRange(text("k0001"), text("k0001"));
    tree.delete(text("k0500a"));
    assertEquals(made, tree.pager.allocated());
  }

  @ParameterizedTest
  @ValueSource(longs = {41, 42, 43})
  void heightStaysSaneUnderRangeDeletes(long seed) {
    Random random = new Random(seed);
    List<byte[]> keys = twins(300);
    for (int round = 0; round < 4; round++) {
      for (byte[] key : Order.SHUFFLED.of(keys, random)) {
        tree.put(key, new byte[200]);
      }
      int full = tree.writer.height();
      assertTrue(full <= 8, () -> "seed " + seed + ": height " + full);
      while (tree.map.size() > 20) {
        byte[] from = keys.get(random.nextInt(keys.size()));
        byte[] to = tree.map.higherKey(from);
        for (int i = random.nextInt(90); i > 0 && to != null; i--) {
          to = tree.map.higherKey(to);
        }
        tree.deleteRange(from, to);
        tree.commit();
        tree.check();
      }
      tree.compareAll();
      int left = tree.writer.height();
      assertTrue(
          left <= 5, () -> "seed " + seed + ": " + tree.map.size() + " left, height " + left);
    }
    tree.deleteRange(null, null);
    assertEquals(0, tree.writer.height());
    assertEquals(0, tree.pager.livePages());
  }
}
