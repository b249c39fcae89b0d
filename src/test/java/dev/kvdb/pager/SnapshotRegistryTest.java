package dev.kvdb.pager;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SnapshotRegistryTest {
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void itHoldsWhatWasRegisteredAndNotReleased(long seed) {
    Random random = new Random(seed);
    SnapshotRegistry registry = new SnapshotRegistry();
    List<Long> open = new ArrayList<>();
    for (int i = 0; i < 5000; i++) {
      final TreeSet<Long> before = new TreeSet<>(open);
      final long version = registry.version();
      if (random.nextInt(20) < (i / 500 % 2 == 0 ? 12 : 8)) {
        long number = random.nextInt(30);
        registry.register(number);
        open.add(number);
      } else if (!open.isEmpty()) {
        registry.release(open.remove(random.nextInt(open.size())));
      }
      TreeSet<Long> held = new TreeSet<>(open);
      assertArrayEquals(
          held.stream().mapToLong(Long::longValue).toArray(), registry.numbers(), "seed " + seed);
      assertEquals(open.size(), registry.openCount());
      assertEquals(held.isEmpty() ? Long.MAX_VALUE : held.first(), registry.oldest());
      assertEquals(
          before.equals(held),
          version == registry.version(),
          "the version changes exactly when the set does");
    }
  }

  @Test
  void whatIsNotRegisteredCannotBeReleased() {
    SnapshotRegistry registry = new SnapshotRegistry();
    registry.register(5);
    assertThrows(IllegalStateException.class, () -> registry.release(4));
    registry.release(5);
    assertThrows(IllegalStateException.class, () -> registry.release(5));
    assertEquals(0, registry.openCount());
  }
}
