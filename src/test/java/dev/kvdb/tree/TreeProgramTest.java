package dev.kvdb.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Seeded random programs over a tree, each step compared with a map. */
class TreeProgramTest {
  private static final int PAGES = 4096;

  /** How a program is made. */
  private record Shape(long seed, int steps, int commitEvery, int keyBytesMax) {}

  @ParameterizedTest(name = "seed {0}, {1} steps, a commit every {2}, keys up to {3}")
  @CsvSource({
    "1, 3000, 1, 1000",
    "2, 3000, 10, 1000",
    "3, 3000, 0, 1000",
    "4, 3000, 1, 40",
    "5, 3000, 10, 40",
    "6, 3000, 0, 40",
    "7, 3000, 10, 1000",
    "8, 3000, 10, 300",
    "9, 3000, 0, 1000",
    "10, 3000, 3, 7",
    "11, 3000, 5, 1000",
    "12, 3000, 5, 1000",
  })
  void randomProgramsEqualTheMap(long seed, int steps, int commitEvery, int keyBytesMax) {
    run(new Shape(seed, steps, commitEvery, keyBytesMax));
  }

  private static void run(Shape shape) {
    Random random = new Random(shape.seed());
    TreeModel tree = new TreeModel(PlainPager.paranoid(shape.seed(), PAGES));
    KeyMaker maker = new KeyMaker(random, shape.keyBytesMax());
    for (int step = 0; step < shape.steps(); step++) {
      try {
        // Phases that grow and phases that shrink, so that every height is passed both ways.
        boolean grows = step / 400 % 2 == 0;
        step(tree, maker, random, grows);
        if (shape.commitEvery() > 0 && step % shape.commitEvery() == 0) {
          tree.commit();
        }
        if (step % 100 == 99) {
          tree.check();
        }
        if (step % 500 == 499) {
          tree.compareAll();
        }
      } catch (Throwable failure) {
        throw new AssertionError(shape + ", step " + step + ": " + failure, failure);
      }
    }
    tree.deleteRange(null, null);
    assertEquals(0, tree.writer.height());
    assertEquals(0, tree.pager.livePages(), () -> shape + ": pages left behind");
  }

  private static void step(TreeModel tree, KeyMaker maker, Random random, boolean grows) {
    int choice = random.nextInt(100);
    if (choice < (grows ? 70 : 20)) {
      tree.put(keyOrNear(tree, maker, random, grows ? 6 : 2), maker.value());
    } else if (choice < 88) {
      tree.delete(keyOrNear(tree, maker, random, 2));
    } else if (choice < 90) {
      tree.deleteRange(bound(tree, maker, random), bound(tree, maker, random));
    } else if (choice < 92) {
      // A short range: two keys that are there and lie close together.
      byte[] from = bound(tree, maker, random);
      byte[] to = from;
      for (int i = random.nextInt(12); i > 0 && to != null; i--) {
        to = tree.map.higherKey(to);
      }
      tree.deleteRange(from, to);
    } else {
      tree.compareAround(keyOrNear(tree, maker, random, 3));
    }
  }

  /** One in {@code newOneIn} times a key that is there, or one just beside it; else any. */
  private static byte[] keyOrNear(TreeModel tree, KeyMaker maker, Random random, int oneIn) {
    byte[] key = maker.key();
    if (random.nextInt(oneIn) != 0) {
      return key;
    }
    byte[] there = tree.map.ceilingKey(key);
    return there == null ? key : there;
  }

  private static byte[] bound(TreeModel tree, KeyMaker maker, Random random) {
    return random.nextInt(10) == 0 ? null : keyOrNear(tree, maker, random, 2);
  }

  @ParameterizedTest
  @ValueSource(longs = {21, 22, 23, 24})
  void snapshotsStayWhatTheyWere(long seed) {
    Random random = new Random(seed);
    TreeModel tree = new TreeModel(PlainPager.keepingFreed(seed, 16_384));
    KeyMaker maker = new KeyMaker(random, seed % 2 == 0 ? 1000 : 60);
    List<TreeModel.Snapshot> held = new ArrayList<>();
    for (int step = 0; step < 1200; step++) {
      step(tree, maker, random, step / 300 % 2 == 0);
      if (step % 50 == 0) {
        held.add(tree.snapshot());
        tree.commit();
      } else if (random.nextInt(4) == 0) {
        tree.commit();
      }
    }
    tree.check();
    for (TreeModel.Snapshot snapshot : held) {
      tree.compareSnapshot(snapshot);
    }
    tree.pager.dropKept();
    tree.compareAll();
  }

  @ParameterizedTest
  @ValueSource(longs = {31, 32, 33, 34, 35, 36})
  void cursorsWalkAtRandom(long seed) {
    Random random = new Random(seed);
    TreeModel tree = new TreeModel(PlainPager.paranoid(seed, PAGES));
    KeyMaker maker = new KeyMaker(random, seed % 2 == 0 ? 1000 : 12);
    int entries = seed == 31 ? 1 : 40 * (int) (seed - 30);
    for (int i = 0; i < entries; i++) {
      tree.put(maker.key(), maker.value());
      if (random.nextInt(3) == 0) {
        tree.commit();
      }
    }
    CursorWalk walk = new CursorWalk(tree, "seed " + seed);
    for (int i = 0; i < 4000; i++) {
      walk.step(random, maker);
    }
  }

  @Test
  void aCursorOverTheEmptyTreeStandsAtItsEnds() {
    TreeCursor cursor = new TreeModel(PlainPager.steady(8)).cursor();
    assertFalse(cursor.first());
    assertFalse(cursor.next());
    assertFalse(cursor.previous());
    assertFalse(cursor.last());
    assertFalse(cursor.seekAtLeast(new byte[0]));
    assertFalse(cursor.seekAtMost(new byte[] {1}));
    assertFalse(cursor.seekAbove(new byte[] {1}));
    assertFalse(cursor.seekBelow(new byte[] {1}));
  }

  /** A cursor and where it must stand. */
  private static final class CursorWalk {
    private final TreeModel tree;
    private final TreeCursor cursor;
    private final String name;

    /** Null: before the first entry or behind the last. */
    private Map.Entry<byte[], byte[]> at;

    private boolean isBehind;

    CursorWalk(TreeModel tree, String name) {
      this.tree = tree;
      this.cursor = tree.cursor();
      this.name = name;
    }

    void step(Random random, KeyMaker maker) {
      int choice = random.nextInt(40);
      if (choice == 0) {
        move("first", cursor.first(), tree.map.firstEntry(), true);
      } else if (choice == 1) {
        move("last", cursor.last(), tree.map.lastEntry(), false);
      } else if (choice < 6) {
        seek(random.nextInt(4), maker.key());
      } else {
        // Runs in one direction, so that both ends are met and leaves are crossed.
        boolean forward = random.nextBoolean();
        for (int i = random.nextInt(12); i >= 0; i--) {
          walk(forward);
        }
      }
    }

    private void walk(boolean forward) {
      Map.Entry<byte[], byte[]> next;
      if (at != null) {
        next = forward ? tree.map.higherEntry(at.getKey()) : tree.map.lowerEntry(at.getKey());
      } else if (isBehind) {
        next = forward ? null : tree.map.lastEntry();
      } else {
        next = forward ? tree.map.firstEntry() : null;
      }
      move(
          forward ? "next" : "previous",
          forward ? cursor.next() : cursor.previous(),
          next,
          forward);
    }

    private void seek(int kind, byte[] key) {
      switch (kind) {
        case 0 -> move("at least", cursor.seekAtLeast(key), tree.map.ceilingEntry(key), true);
        case 1 -> move("above", cursor.seekAbove(key), tree.map.higherEntry(key), true);
        case 2 -> move("at most", cursor.seekAtMost(key), tree.map.floorEntry(key), false);
        default -> move("below", cursor.seekBelow(key), tree.map.lowerEntry(key), false);
      }
    }

    private void move(
        String what, boolean found, Map.Entry<byte[], byte[]> expected, boolean isBehindIfNone) {
      assertEquals(expected != null, found, () -> name + ": " + what);
      at = expected;
      isBehind = isBehindIfNone;
      if (found) {
        TreeModel.requireOn(cursor, expected);
      } else {
        assertTrue(
            org.junit.jupiter.api.Assertions.assertThrows(
                    IllegalStateException.class, cursor::value)
                .getMessage()
                .contains("no entry"));
      }
    }
  }
}
