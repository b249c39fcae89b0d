package dev.kvdb.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.page.CorruptPageException;
import dev.kvdb.page.PageFormat;
import dev.kvdb.page.TreePage;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Damage planted into a tree: the checker reports it, and nothing walks on for ever. */
class TreeDamageTest {
  private static final int ENTRIES = 1200;

  private final PlainPager pager = PlainPager.steady(256);
  private final TreeModel tree = new TreeModel(pager);
  private final MemorySegment m = pager.memory();

  /** Pages by level, as the parents name them. */
  private final List<List<Integer>> levels = new ArrayList<>();

  @BeforeEach
  void grow() {
    for (int i = 0; i < ENTRIES; i++) {
      byte[] key = new byte[24];
      ByteBuffer.wrap(key).putInt(i % 2 == 0 ? i / 2 : ENTRIES + i).putInt(20, i);
      tree.put(key, new byte[i % 5]);
      if (i % 200 == 0) {
        tree.commit();
      }
    }
    tree.check();
    pager.expectDamage();
    for (int i = 0; i < tree.writer.height(); i++) {
      levels.add(new ArrayList<>());
    }
    check((page, level) -> levels.get(level).add(page));
    assertTrue(levels.get(0).size() > 6 && levels.get(1).size() > 0);
  }

  private List<String> check(TreeChecker.PageVisitor visitor) {
    List<String> problems = new ArrayList<>();
    TreeWriter w = tree.writer;
    new TreeChecker(pager, visitor, problems::add)
        .check(w.rootPage(), w.rootBirth(), w.height(), ENTRIES);
    return problems;
  }

  private List<String> problems() {
    Set<Integer> reached = new HashSet<>();
    return check((page, level) -> reached.add(page));
  }

  /** A page of the steady pager lies at its number. */
  private static long at(int page) {
    return (long) page * PageFormat.PAGE_BYTES;
  }

  private void flip(int page, int bit) {
    long place = at(page) + bit / 8;
    m.set(PageFormat.BYTE, place, (byte) (m.get(PageFormat.BYTE, place) ^ 1 << bit % 8));
  }

  private void requireReported(int page, int firstByte, int endByte, String what) {
    for (int bit = firstByte * 8; bit < endByte * 8; bit++) {
      flip(page, bit);
      assertFalse(problems().isEmpty(), what + " of page " + page + ": bit " + bit);
      flip(page, bit);
    }
    assertEquals(List.of(), problems());
  }

  private int middlePage(int level) {
    return levels.get(level).get(levels.get(level).size() / 2);
  }

  @Test
  void everyFlippedBitOfTheHeaderIsReported() {
    for (int level = 0; level < levels.size(); level++) {
      int page = middlePage(level);
      requireReported(page, PageFormat.TYPE, PageFormat.LAST_INSERT, "header");
      requireReported(page, PageFormat.BIRTH, PageFormat.HEADER_BYTES, "birth");
    }
  }

  @Test
  void everyFlippedBitOfAFenceOrAPrefixIsReported() {
    int leaf = middlePage(0);
    int tail = TreePage.heapEnd(m, at(leaf));
    assertTrue(tail < PageFormat.PAGE_BYTES);
    requireReported(leaf, tail, PageFormat.PAGE_BYTES, "tail");
  }

  @Test
  void everyFlippedBitOfTheSlotsAndCellsOfABranchIsReported() {
    int root = tree.writer.rootPage();
    int slotsEnd = PageFormat.HEADER_BYTES + TreePage.count(m, at(root)) * TreePage.SLOT_BYTES;
    requireReported(root, PageFormat.HEADER_BYTES, slotsEnd, "slots");
    for (int i = 0; i < TreePage.count(m, at(root)); i++) {
      int cell = TreePage.cellOffset(m, at(root), i);
      int bytes = TreePage.cellBytes(m, at(root), i);
      requireReported(root, cell, cell + bytes, "cell " + i);
    }
  }

  @Test
  void childrenThatAreSwappedOrNamedTwiceAreReported() {
    long root = at(tree.writer.rootPage());
    for (int i = 0; i + 1 < TreePage.count(m, root); i++) {
      int first = TreePage.child(m, root, i);
      long firstBirth = TreePage.childBirth(m, root, i);
      int second = TreePage.child(m, root, i + 1);
      long secondBirth = TreePage.childBirth(m, root, i + 1);
      TreePage.setChild(m, root, i, second, secondBirth);
      assertFalse(problems().isEmpty(), "child " + i + " named twice");
      TreePage.setChild(m, root, i + 1, first, firstBirth);
      assertFalse(problems().isEmpty(), "children " + i + " swapped");
      TreePage.setChild(m, root, i, first, firstBirth);
      TreePage.setChild(m, root, i + 1, second, secondBirth);
    }
    assertEquals(List.of(), problems());
  }

  @Test
  void aBranchThatIsItsOwnChildIsReported() {
    int root = tree.writer.rootPage();
    TreePage.setChild(m, at(root), 1, root, tree.writer.rootBirth());
    assertFalse(problems().isEmpty());
  }

  @Test
  void aRootOfImpossibleHeightIsReported() {
    for (int height : new int[] {-1, 0, 1, tree.writer.height() + 1, 33, 1 << 20}) {
      List<String> problems = new ArrayList<>();
      new TreeChecker(pager, (page, level) -> true, problems::add)
          .check(tree.writer.rootPage(), tree.writer.rootBirth(), height, ENTRIES);
      assertFalse(problems.isEmpty(), "height " + height);
    }
  }

  @Test
  void aWrongNumberOfEntriesIsReported() {
    List<String> problems = new ArrayList<>();
    TreeWriter w = tree.writer;
    new TreeChecker(pager, (page, level) -> true, problems::add)
        .check(w.rootPage(), w.rootBirth(), w.height(), ENTRIES + 1);
    assertEquals(1, problems.size());
  }

  /** Readers of a damaged tree may see wrong entries or an exception, but they come to an end. */
  @ParameterizedTest
  @ValueSource(longs = {81, 82, 83})
  void readersOfADamagedTreeComeToAnEnd(long seed) {
    Random random = new Random(seed);
    long movesMax = 200L * 0xFFFF;
    int refused = 0;
    for (int i = 0; i < 300; i++) {
      int level = random.nextInt(levels.size());
      int page = levels.get(level).get(random.nextInt(levels.get(level).size()));
      int end = random.nextInt(4) == 0 ? PageFormat.PAGE_BYTES : 400;
      int bit = 8 * PageFormat.TYPE + random.nextInt(8 * (end - PageFormat.TYPE));
      flip(page, bit);
      problems();
      try {
        TreeCursor cursor = tree.cursor();
        long moves = 0;
        while (cursor.next()) {
          cursor.keyBuffer();
          assertTrue(++moves < movesMax, "seed " + seed + ", page " + page + ", bit " + bit);
        }
        byte[] key = new byte[24];
        for (int k = 0; k < 50; k++) {
          ByteBuffer.wrap(key).putInt(random.nextInt(ENTRIES));
          cursor.seekAtMost(key);
          tree.get(key);
        }
      } catch (CorruptPageException | IndexOutOfBoundsException damaged) {
        refused++;
      }
      flip(page, bit);
    }
    assertTrue(refused > 0, "no damage was noticed: the test looks at nothing");
    assertEquals(List.of(), problems());
  }
}
