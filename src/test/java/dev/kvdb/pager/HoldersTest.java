package dev.kvdb.pager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Holders that come and go, against the plain rule: held while some s has birth <= s < death. */
class HoldersTest {
  private record Life(long birth, long death) {}

  private final Holders holders = new Holders(SpacePolicy.RULES);
  private final TreeSet<Long> numbers = new TreeSet<>();
  private final Map<Integer, Life> dead = new TreeMap<>();
  private final Set<Integer> free = new HashSet<>();
  private long clock = 1;
  private int nextPage = 1;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void pagesAreKeptExactlyWhileTheyAreHeld(long seed) {
    Random random = new Random(seed);
    for (int step = 0; step < 3000; step++) {
      switch (random.nextInt(4)) {
        case 0 -> changeHolders(random);
        default -> die(1 + random.nextLong(clock));
      }
      requireEqual(random, "seed " + seed + ", step " + step);
    }
    numbers.clear();
    update();
    assertEquals(0, holders.pages());
    assertEquals(dead.keySet(), free);
  }

  private void die(long birth) {
    clock++;
    int page = nextPage++;
    dead.put(page, new Life(birth, clock));
    file(page, birth, clock);
  }

  private void file(int page, long birth, long death) {
    int holder = holders.find(birth, death);
    if (holder < 0) {
      assertTrue(free.add(page), "a page is free twice");
    } else {
      holders.keep(holder, page, birth, death);
    }
  }

  private void changeHolders(Random random) {
    for (int i = random.nextInt(3); i > 0 && !numbers.isEmpty(); i--) {
      // Any of them, not only the oldest.
      Long number = numbers.ceiling(random.nextLong(clock + 1));
      numbers.remove(number == null ? numbers.last() : number);
    }
    if (random.nextInt(3) > 0 && numbers.size() < 12) {
      numbers.add(clock);
    }
    update();
  }

  private void update() {
    PageList released = new PageList();
    holders.update(numbers.stream().mapToLong(Long::longValue).toArray(), released, 77);
    for (int i = 0; i < released.size(); i++) {
      assertEquals(77, released.stamp(i));
      assertEquals(dead.get(released.page(i)), new Life(released.birth(i), released.death(i)));
      file(released.page(i), released.birth(i), released.death(i));
    }
  }

  private boolean isHeld(long birth, long death) {
    return numbers.stream().anyMatch(s -> birth <= s && s < death);
  }

  private void requireEqual(Random random, String when) {
    int held = 0;
    for (Map.Entry<Integer, Life> entry : dead.entrySet()) {
      Life life = entry.getValue();
      boolean isHeld = isHeld(life.birth(), life.death());
      assertEquals(!isHeld, free.contains(entry.getKey()), when + ": page " + entry.getKey());
      held += isHeld ? 1 : 0;
    }
    assertEquals(held, holders.pages(), when);
    assertEquals(held, numbers.stream().mapToInt(holders::keptFor).sum(), when);
    long birth = random.nextLong(clock + 2);
    long death = birth + 1 + random.nextLong(20);
    assertEquals(isHeld(birth, death), holders.isHeld(birth, death), when);
    assertTrue(holders.mayHold(birth) || !isHeld(birth, Long.MAX_VALUE), when);
    if (dead.size() > 400) {
      // Free pages are of no more interest.
      dead.keySet().removeAll(free);
      free.clear();
    }
  }
}
