package dev.kvdb.tree;

import dev.kvdb.page.PageFormat;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * Any row of changes leaves a tree that equals the map. Failing rows are shrunk to short ones: what
 * {@link TreeProgramTest} finds is easiest understood here.
 */
class TreePropertiesTest {
  /** A change of the tree. */
  private interface Change {
    void applyTo(TreeModel tree);
  }

  private record Put(byte[] key, int valueBytes) implements Change {
    @Override
    public void applyTo(TreeModel tree) {
      tree.put(key, new byte[valueBytes]);
    }

    @Override
    public String toString() {
      return "put " + TreeModel.hex(key) + " with " + valueBytes;
    }
  }

  private record Delete(byte[] key) implements Change {
    @Override
    public void applyTo(TreeModel tree) {
      tree.delete(key);
    }

    @Override
    public String toString() {
      return "delete " + TreeModel.hex(key);
    }
  }

  private record DeleteRange(byte[] from, byte[] to) implements Change {
    @Override
    public void applyTo(TreeModel tree) {
      tree.deleteRange(from, to);
    }

    @Override
    public String toString() {
      return "delete from " + TreeModel.hex(from) + " to " + TreeModel.hex(to);
    }
  }

  private record Commit() implements Change {
    @Override
    public void applyTo(TreeModel tree) {
      tree.commit();
    }
  }

  /** A number with a few bytes before and behind it: neighbours, prefixes, separators of length. */
  @Provide
  Arbitrary<byte[]> keys() {
    Arbitrary<Integer> front = Arbitraries.of(0, 0, 3, 4, 7, 500, 990);
    Arbitrary<Byte> fill = Arbitraries.of((byte) 0, (byte) 'm', (byte) -1);
    Arbitrary<Integer> number = Arbitraries.integers().between(0, 60);
    Arbitrary<Integer> back = Arbitraries.of(0, 1, 5, 400, 1000);
    return Combinators.combine(front, fill, number, back)
        .as(
            (before, with, middle, behind) -> {
              int length = Math.min(before + 1 + behind, PageFormat.KEY_BYTES_MAX);
              byte[] key = new byte[length];
              Arrays.fill(key, with);
              key[Math.min(before, length - 1)] = (byte) (4 * middle);
              return key;
            });
  }

  @Provide
  Arbitrary<List<Change>> changes() {
    Arbitrary<Integer> lengths = Arbitraries.of(0, 1, 30, 500, 1000, 1024);
    Arbitrary<Change> puts = Combinators.combine(keys(), lengths).as(Put::new);
    Arbitrary<Change> deletes = keys().map(Delete::new);
    Arbitrary<Change> ranges =
        Combinators.combine(keys().injectNull(0.1), keys().injectNull(0.1)).as(DeleteRange::new);
    Arbitrary<Change> commits = Arbitraries.of(new Commit());
    return Arbitraries.frequencyOf(
            net.jqwik.api.Tuple.of(12, puts),
            net.jqwik.api.Tuple.of(4, deletes),
            net.jqwik.api.Tuple.of(1, ranges),
            net.jqwik.api.Tuple.of(2, commits))
        .list()
        .ofMaxSize(150);
  }

  @Property(tries = 250, seed = "101")
  void anyRowOfChangesEqualsTheMap(@ForAll("changes") List<Change> changes) {
    TreeModel tree = new TreeModel(PlainPager.paranoid(changes.size(), 1024));
    for (Change change : changes) {
      change.applyTo(tree);
    }
    tree.check();
    tree.compareAll();
  }

  @Property(tries = 150, seed = "102")
  void seeksEqualTheMapForAnyKey(
      @ForAll("changes") List<Change> changes, @ForAll("keys") byte[] key) {
    TreeModel tree = new TreeModel(PlainPager.paranoid(changes.size(), 1024));
    changes.forEach(change -> change.applyTo(tree));
    tree.compareAround(key);
    tree.compareAround(Arrays.copyOf(key, key.length / 2));
    tree.compareAround(Arrays.copyOf(key, Math.min(key.length + 1, PageFormat.KEY_BYTES_MAX)));
  }
}
