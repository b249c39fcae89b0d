package dev.kvdb.tree;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How full the leaves are after loads in different orders. */
class TreeFillTest {
  private static final int ENTRIES = 20_000;
  private static final double FULL = 0.95;

  /** Header of a cell, slot, and the part of a key that neighbours do not share, at least. */
  private static final int ENTRY_BYTES_MIN = 2 + 8;

  private final TreeModel tree = new TreeModel(PlainPager.steady(8192));
  private final byte[] source = new byte[2048];
  private int valueBytes = 100;

  private void put(long number) {
    byte[] key = key(number);
    System.arraycopy(key, 0, source, 0, key.length);
    tree.writer.put(source, 0, key.length, key.length, valueBytes);
  }

  private void load(int entries, LongUnaryOperator number) {
    for (int i = 0; i < entries; i++) {
      put(number.applyAsLong(i));
    }
  }

  private TreeChecker measure() {
    java.util.List<String> problems = new java.util.ArrayList<>();
    TreeWriter w = tree.writer;
    TreeChecker checker = new TreeChecker(tree.pager, (page, level) -> true, problems::add);
    checker.check(w.rootPage(), w.rootBirth(), w.height(), w.count());
    assertTrue(problems.isEmpty(), problems::toString);
    return checker;
  }

  @ParameterizedTest(name = "values of {0} bytes")
  @ValueSource(ints = {0, 8, 60, 100})
  void anAscendingLoadLeavesFullPages(int bytes) {
    valueBytes = bytes;
    load(ENTRIES, i -> i);
    requireFill(FULL, 1);
  }

  @ParameterizedTest(name = "values of {0} bytes")
  @ValueSource(ints = {0, 8, 60, 100})
  void aDescendingLoadLeavesFullPages(int bytes) {
    valueBytes = bytes;
    load(ENTRIES, i -> ENTRIES - i);
    requireFill(FULL, 1);
  }

  @Test
  void anAscendingLoadOverManyCommitsLeavesFullPages() {
    for (int i = 0; i < ENTRIES; i++) {
      put(i);
      if (i % 10 == 9) {
        tree.commit();
      }
    }
    requireFill(FULL, 1);
  }

  @Test
  void aRandomLoadLeavesPagesTwoThirdsFull() {
    Random random = new Random(7);
    load(ENTRIES, i -> random.nextInt(1 << 30));
    requireFill(0.64, 0.74);
  }

  private void requireFill(double min, double max) {
    double fill = measure().fill();
    assertTrue(fill >= min && fill <= max, () -> "the leaves are full to " + fill);
  }

  @ParameterizedTest(name = "ascending: {0}")
  @ValueSource(booleans = {true, false})
  void aRunAmongOtherEntriesLeavesFullPages(boolean ascending) {
    Random random = new Random(8);
    load(ENTRIES / 2, i -> (long) random.nextInt(1 << 20) << 18);
    long before = measure().leaves();
    long base = (1L << 37) + 1;
    load(ENTRIES, i -> base + (ascending ? i : ENTRIES - i));
    long made = measure().leaves() - before;
    double fill = (double) ENTRIES * (valueBytes + ENTRY_BYTES_MIN) / (made * 4064.0);
    assertTrue(fill >= 0.93, () -> "the pages of the run are full to " + fill);
  }

  @ParameterizedTest(name = "{0} runs")
  @ValueSource(ints = {2, 8, 32})
  void interleavedRunsLeaveNearlyFullPages(int runs) {
    for (int i = 0; i < ENTRIES / runs; i++) {
      for (int run = 0; run < runs; run++) {
        put(run * 1_000_000_000L + i);
      }
    }
    requireFill(0.80, 1);
  }

  @Test
  void pagesStayAtLeastAQuarterFullOnAverageUnderRandomDeletes() {
    Random random = new Random(9);
    load(ENTRIES, i -> random.nextInt(1 << 16));
    byte[] key = new byte[0];
    for (int i = 0; i < 60_000; i++) {
      key = String.format("user%012d", random.nextInt(1 << 16)).getBytes(StandardCharsets.US_ASCII);
      tree.writer.delete(key, 0, key.length);
    }
    requireFill(0.25, 1);
  }

  @ParameterizedTest(name = "the value grows by {0} bytes")
  @ValueSource(ints = {-50, 0, 1, 50})
  void anAscendingLoadThatUpdatesEachNewEntryLeavesFullPages(int growth) {
    for (int i = 0; i < ENTRIES; i++) {
      valueBytes = 100;
      put(i);
      valueBytes = 100 + growth;
      put(i);
    }
    requireFill(FULL, 1);
  }

  @Test
  void aQueueThatLosesItsFirstEntriesStaysFull() {
    int length = 2_000;
    for (int i = 0; i < ENTRIES; i++) {
      put(i);
      if (i >= length) {
        delete(i - length);
      }
    }
    requireFill(FULL, 1);
  }

  @ParameterizedTest(name = "ascending: {0}")
  @ValueSource(booleans = {true, false})
  void deletesInARowLeaveNoThinPages(boolean ascending) {
    load(ENTRIES, i -> i);
    for (int i = 0; i < ENTRIES; i++) {
      int number = ascending ? i : ENTRIES - 1 - i;
      if (number % 10 != 0) {
        delete(number);
      }
    }
    requireFill(0.45, 1);
  }

  @Test
  void rangeDeletesLeaveNoThinPages() {
    load(ENTRIES, i -> i);
    for (int i = 0; i + 500 <= ENTRIES; i += 500) {
      byte[] from = key(i + 3);
      byte[] to = key(i + 497);
      tree.writer.deleteRange(from, 0, from.length, to, 0, to.length);
    }
    requireFill(0.45, 1);
  }

  private void delete(long number) {
    byte[] key = key(number);
    assertTrue(tree.writer.delete(key, 0, key.length), () -> "entry " + number);
  }

  private static byte[] key(long number) {
    return String.format("user%012d", number).getBytes(StandardCharsets.US_ASCII);
  }
}
