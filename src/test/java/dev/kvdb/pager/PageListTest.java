package dev.kvdb.pager;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PageListTest {
  private record Entry(int page, long birth, long death, long stamp) {}

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void itIsAQueue(long seed) {
    Random random = new Random(seed);
    PageList list = new PageList();
    List<Entry> model = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      boolean grows = i / 2000 % 2 == 0;
      int choice = random.nextInt(100);
      if (choice < (grows ? 60 : 35)) {
        Entry e =
            new Entry(random.nextInt(), random.nextLong(), random.nextLong(), random.nextLong());
        model.add(e);
        list.add(e.page(), e.birth(), e.death(), e.stamp());
      } else if (choice < 99) {
        if (!model.isEmpty()) {
          model.removeFirst();
          list.removeFirst();
        }
      } else if (random.nextInt(40) == 0) {
        model.clear();
        list.clear();
      }
      if (model.isEmpty()) {
        list.trim();
      }
      assertEquals(model.size(), list.size());
      assertEquals(model.isEmpty(), list.isEmpty());
      if (i % 50 == 0) {
        for (int at = 0; at < model.size(); at++) {
          assertEquals(model.get(at), entry(list, at), "seed " + seed + ", step " + i);
        }
      }
    }
  }

  private static Entry entry(PageList list, int at) {
    return new Entry(list.page(at), list.birth(at), list.death(at), list.stamp(at));
  }

  @org.junit.jupiter.api.Test
  void aTrimmedListGoesOn() {
    PageList list = new PageList();
    for (int i = 0; i < 200_000; i++) {
      list.add(i, i, i, i);
    }
    for (int i = 0; i < 200_000; i++) {
      assertEquals(i, list.page(0));
      list.removeFirst();
    }
    list.trim();
    for (int i = 0; i < 1000; i++) {
      list.add(i, -i, 2L * i, 3L * i);
    }
    for (int i = 0; i < 1000; i++) {
      assertEquals(new Entry(i, -i, 2L * i, 3L * i), entry(list, i));
    }
  }
}
