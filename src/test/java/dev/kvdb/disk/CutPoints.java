package dev.kvdb.disk;

import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** Chooses where a history is cut. */
@FunctionalInterface
public interface CutPoints {
  /**
   * @param operations how long the history is
   * @param seed of random choices
   * @return numbers from 0 to {@code operations}, ascending
   */
  int[] of(int operations, long seed);

  /** Before the first operation, after every {@code stride}-th, and after the last. */
  static CutPoints every(int stride) {
    return (operations, seed) ->
        IntStream.concat(
                IntStream.iterate(0, i -> i < operations, i -> i + stride),
                IntStream.of(operations))
            .toArray();
  }

  /** So many at random and the end; all if there are no more. */
  static CutPoints sampled(int count) {
    return (operations, seed) -> {
      if (count > operations) {
        return every(1).of(operations, seed);
      }
      SplittableRandom random = new SplittableRandom(seed);
      TreeSet<Integer> points = new TreeSet<>();
      points.add(operations);
      while (points.size() < count) {
        points.add(random.nextInt(operations));
      }
      return points.stream().mapToInt(Integer::intValue).toArray();
    };
  }

  /** Only after the last operation. */
  static CutPoints atEnd() {
    return (operations, seed) -> new int[] {operations};
  }
}
