package dev.kvdb.pager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.page.CorruptPageException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The space map against sets of pages, over several regions, with checkpoints and reopening. */
class SpaceMapModelTest {
  private static final int REGION = FileFormat.REGION_PAGES;

  /** A map page as it lies in the file. */
  private record Slot(long stamp, long[] bits) {}

  private final Map<Integer, Slot> disk = new HashMap<>();
  private SpaceMap map = new SpaceMap(this::read, SpacePolicy.RULES);
  private final BitSet used = new BitSet();
  private final BitSet reached = new BitSet();
  private List<Integer> live = new ArrayList<>();
  private List<SpaceMap.Listed> listed = List.of();
  private BitSet durable = new BitSet();
  private int[] catalog = {};

  /** What the checkpoint under way froze, null if there is none. */
  private BitSet begun;

  /** Dead pages that may not be handed out yet. */
  private List<Integer> held = new ArrayList<>();

  private long number;
  private Random random;

  private int read(int region, long stamp, long[] bits) {
    for (int slot = 0; slot < 2; slot++) {
      Slot found = disk.get(region * 2 + slot);
      if (found != null && found.stamp() == stamp) {
        System.arraycopy(found.bits(), 0, bits, 0, bits.length);
        return slot;
      }
    }
    throw new CorruptPageException(region * REGION + 1, "no map bears the stamp " + stamp);
  }

  private void grow(int pages) {
    int before = map.regionCount();
    map.growTo(pages, number);
    for (int region = before; region < map.regionCount(); region++) {
      for (int page = region * REGION; page < region * REGION + 20; page++) {
        if (FileFormat.isFixed(page)) {
          used.set(page);
          reached.set(page);
        }
      }
    }
  }

  // ------------------------------------------------------------------ steps

  /** A commit that makes pages and no longer reaches others, which are free at once. */
  private void commit(int makes, int frees) {
    number++;
    List<Integer> made = new ArrayList<>();
    for (int i = 0; i < makes; i++) {
      int page = take();
      if (page < 0) {
        break;
      }
      made.add(page);
    }
    for (int page : made) {
      map.markReached(page, number);
      reached.set(page);
    }
    List<Integer> dead = new ArrayList<>();
    for (int i = 0; i < frees && !live.isEmpty(); i++) {
      int at = random.nextInt(live.size());
      dead.add(live.get(at));
      live.set(at, live.getLast());
      live.removeLast();
    }
    for (int page : dead) {
      map.ensureLoaded(page);
      map.markUnreached(page, number);
      reached.clear(page);
    }
    held.addAll(dead);
    releaseHeld();
    live.addAll(made);
  }

  /** Gives back the dead pages that neither the durable checkpoint nor the begun one reaches. */
  private void releaseHeld() {
    List<Integer> still = new ArrayList<>();
    for (int page : held) {
      if (durable.get(page) || (begun != null && begun.get(page)) || random.nextInt(4) == 0) {
        still.add(page);
      } else {
        giveBack(page);
      }
    }
    held = still;
  }

  private int take() {
    int page = map.take();
    if (page < 0) {
      assertEquals(map.filePages(), used.nextClearBit(0), "the file has a free page");
      return page;
    }
    assertFalse(used.get(page), () -> "page " + page + " was taken already");
    assertFalse(FileFormat.isFixed(page), () -> "page " + page + " is fixed");
    assertTrue(page < map.filePages());
    used.set(page);
    return page;
  }

  private void giveBack(int page) {
    map.giveBack(page);
    used.clear(page);
  }

  /** A checkpoint with commits in between, as the checkpoint writer drives it. */
  private void checkpoint(boolean fails) {
    if (map.freePages() < 100) {
      grow(SpaceMap.usableLength(map.filePages() + 500L));
    }
    number++;
    final long checkpoint = number;
    map.freeze(checkpoint);
    final BitSet frozen = (BitSet) reached.clone();
    begun = (BitSet) reached.clone();
    commit(random.nextInt(30), random.nextInt(40));
    int[] pages = new int[1 + random.nextInt(3)];
    for (int i = 0; i < pages.length; i++) {
      pages[i] = take();
      assertTrue(pages[i] > 0);
    }
    List<SpaceMap.MapWrite> writes = map.mapsToWrite(pages, catalog);
    final List<SpaceMap.Listed> list = map.listFor(checkpoint, writes, pages, catalog);
    commit(random.nextInt(30), random.nextInt(40));
    final int pageCount = map.pageCountFor(list, writes);
    for (SpaceMap.MapWrite write : writes) {
      Slot old = disk.put(write.page() / REGION * 2 + write.slot(), slotOf(write, checkpoint));
      if (old != null && write.region().index < listed.size()) {
        assertFalse(
            old.stamp() == listed.get(write.region().index).stamp(),
            "the durable map of region " + write.region().index + " was overwritten");
      }
    }
    if (fails) {
      for (int page : pages) {
        giveBack(page);
      }
      map.thaw();
      begun = null;
      return;
    }
    map.adopt(checkpoint, writes, list.size(), pages, catalog);
    map.thaw();
    begun = null;
    for (int page : catalog) {
      frozen.clear(page);
      reached.clear(page);
      giveBack(page);
    }
    for (int page : pages) {
      frozen.set(page);
      reached.set(page);
    }
    catalog = pages;
    listed = list;
    durable = frozen;
    durable.clear(list.size() * REGION, Integer.MAX_VALUE);
    releaseHeld();
    assertEquals(durable.length(), pageCount);
  }

  private static Slot slotOf(SpaceMap.MapWrite write, long stamp) {
    assertEquals(FileFormat.MAP_PAGES[write.slot()], write.page() % REGION);
    return new Slot(stamp, write.bits().clone());
  }

  /** What the durable catalog and its maps say is what was reached when the checkpoint began. */
  private void requireDurable(String when) {
    SpaceMap opened = new SpaceMap(this::read, SpacePolicy.RULES);
    opened.load(listed, map.filePages());
    requireSame(durable, bits(opened.reachedCopy(), listed.size()), when);
  }

  /** Names the first pages that differ, not the thousands that do not. */
  private static void requireSame(BitSet expected, BitSet found, String when) {
    BitSet difference = (BitSet) expected.clone();
    difference.xor(found);
    assertEquals(
        List.of(), difference.stream().limit(10).boxed().toList(), when + ": pages that differ");
  }

  private static BitSet bits(List<long[]> regions, int count) {
    BitSet all = new BitSet();
    for (int region = 0; region < count; region++) {
      BitSet.valueOf(regions.get(region)).stream()
          .map(new Shift(region * REGION))
          .forEach(all::set);
    }
    return all;
  }

  private record Shift(int by) implements java.util.function.IntUnaryOperator {
    @Override
    public int applyAsInt(int page) {
      return page + by;
    }
  }

  private void requireEqual(String when) {
    requireSame(reached, bits(map.reachedCopy(), map.regionCount()), when);
    BitSet inFile = used.get(0, map.filePages());
    assertEquals(map.filePages() - inFile.cardinality(), map.freePages(), when);
    assertEquals(usedEnd(), map.usedEnd(), when);
  }

  /** One past the last page in use, not counting regions that hold nothing but their maps. */
  private int usedEnd() {
    int end = used.length();
    while (end > REGION
        && used.get((end - 1) / REGION * REGION, end).cardinality()
            == FileFormat.MAP_PAGES.length) {
      end = used.previousSetBit((end - 1) / REGION * REGION - 1) + 1;
    }
    return end;
  }

  /** As after a crash: only what the last checkpoint made durable is left. */
  private void reopen() {
    int pages = map.filePages();
    map = new SpaceMap(this::read, SpacePolicy.RULES);
    used.clear();
    reached.clear();
    map.load(listed, pages);
    for (int region = listed.size(); region < map.regionCount(); region++) {
      reached.set(region * REGION + FileFormat.MAP_PAGES[0]);
      reached.set(region * REGION + FileFormat.MAP_PAGES[1]);
    }
    reached.or(durable);
    used.or(reached);
    held.clear();
    live = new ArrayList<>();
    reached.stream().filter(page -> !FileFormat.isFixed(page)).forEach(live::add);
    for (int page : catalog) {
      live.remove((Integer) page);
    }
  }

  // ------------------------------------------------------------------ tests

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void itEqualsSetsOfPages(long seed) {
    random = new Random(seed);
    grow(64);
    for (int round = 0; round < 60; round++) {
      String when = "seed " + seed + ", round " + round;
      if (round == 3) {
        grow(REGION + 7);
      } else if (round == 6) {
        grow(SpaceMap.usableLength(REGION * 2L + 1000 + random.nextInt(REGION)));
      }
      commit(
          round == 20 ? 75_000 : random.nextInt(400), round == 40 ? 70_000 : random.nextInt(300));
      requireEqual(when);
      if (random.nextInt(3) == 0 || round == 19) {
        checkpoint(random.nextInt(3) == 0);
        requireEqual(when);
        requireDurable(when);
      }
      if (random.nextInt(12) == 0 && !listed.isEmpty()) {
        reopen();
        requireEqual(when + ", reopened");
      }
      if (random.nextInt(8) == 0) {
        cut();
        requireEqual(when + ", cut");
      }
    }
  }

  private void cut() {
    int keep = SpaceMap.usableLength(map.usedEnd() + 100L);
    if (keep >= map.filePages()) {
      return;
    }
    map.cutTo(keep);
    int regions = map.regionCount();
    assertEquals((keep + REGION - 1) / REGION, regions);
    used.clear(regions * REGION, Integer.MAX_VALUE);
    reached.clear(regions * REGION, Integer.MAX_VALUE);
    int grown = keep + 500 + random.nextInt(REGION);
    grow(SpaceMap.usableLength(grown));
  }

  @Test
  void everyPageOfAFileIsHandedOutOnce() {
    grow(REGION + 100);
    BitSet seen = new BitSet();
    for (int page = map.take(); page >= 0; page = map.take()) {
      assertFalse(seen.get(page));
      seen.set(page);
    }
    assertEquals(REGION + 100 - 6, seen.cardinality());
    assertEquals(0, map.freePages());
    map.giveBack(5);
    map.giveBack(REGION + 50);
    assertEquals(5, map.take());
    assertEquals(REGION + 50, map.take());
    assertEquals(-1, map.take());
  }

  @Test
  void whatIsNotTakenCannotBeGivenBack() {
    grow(100);
    int page = map.take();
    map.giveBack(page);
    assertThrows(IllegalStateException.class, () -> map.giveBack(page));
    for (int fixed : new int[] {1, 2, 16}) {
      assertThrows(IllegalStateException.class, () -> map.giveBack(fixed));
    }
    for (int outside : new int[] {0, -1, REGION, Integer.MIN_VALUE}) {
      assertThrows(CorruptPageException.class, () -> map.giveBack(outside));
      assertThrows(CorruptPageException.class, () -> map.ensureLoaded(outside));
    }
  }

  @Test
  void aMapThatContradictsTheCatalogIsDamage() {
    random = new Random(9);
    grow(1000);
    commit(50, 0);
    checkpoint(false);
    SpaceMap.Listed first = listed.getFirst();
    for (SpaceMap.Listed wrong :
        List.of(
            new SpaceMap.Listed(first.stamp(), first.markedCount() + 1),
            new SpaceMap.Listed(first.stamp() + 1, first.markedCount()))) {
      SpaceMap opened = new SpaceMap(this::read, SpacePolicy.RULES);
      opened.load(List.of(wrong), 1000);
      assertThrows(CorruptPageException.class, opened::loadAll);
    }
  }

  private List<SpaceMap.MapWrite> freezeAndPlan(int[] pages, int[] oldPages) {
    number++;
    map.freeze(number);
    return map.mapsToWrite(pages, oldPages);
  }

  /** The count goes into the meta later than the maps are drawn up; commits come in between. */
  @Test
  void thePageCountIsThatOfTheFrozenState() {
    random = new Random(11);
    grow(REGION + 100);
    commit(REGION + 50, 0);
    final int last = reached.length() - 1;
    assertTrue(last > REGION);
    int[] pages = {live.getFirst()};
    for (SpaceMap.MapWrite write : freezeAndPlan(pages, new int[0])) {
      disk.put(write.page() / REGION * 2 + write.slot(), slotOf(write, number));
      write.region().stamp = number;
    }
    map.thaw();
    List<SpaceMap.MapWrite> writes = freezeAndPlan(new int[] {live.get(1)}, pages);
    assertTrue(writes.stream().noneMatch(write -> write.region().index == 1));
    List<SpaceMap.Listed> list = map.listFor(number, writes, pages, pages);
    number++;
    map.markUnreached(last, number);
    assertEquals(last + 1, map.pageCountFor(list, writes));
    map.thaw();
  }

  @Test
  void openingReadsNoMap() {
    random = new Random(10);
    grow(REGION * 3);
    commit(40_000, 0);
    checkpoint(false);
    List<Integer> asked = new ArrayList<>();
    SpaceMap opened =
        new SpaceMap(
            (region, stamp, bits) -> {
              asked.add(region);
              return read(region, stamp, bits);
            },
            SpacePolicy.RULES);
    opened.load(listed, REGION * 3);
    assertEquals(List.of(), asked);
    assertEquals(REGION * 3 - durable.cardinality(), opened.freePages() + extraFixed());
    opened.take();
    assertEquals(1, asked.size());
  }

  /** Regions that the catalog does not list have their two map pages all the same. */
  private int extraFixed() {
    return 2 * (3 - listed.size());
  }

  @Test
  void aUsableLengthHasRoomForTheMapOfItsLastRegion() {
    for (long pages = REGION - 3; pages < REGION + 10; pages++) {
      int usable = SpaceMap.usableLength(pages);
      assertTrue(usable >= pages && usable <= pages + 4);
      int inLast = usable % REGION;
      assertTrue(inLast == 0 || inLast > FileFormat.MAP_PAGES[1], "length " + usable);
    }
    assertEquals(Integer.MAX_VALUE, SpaceMap.usableLength(1L << 40));
  }
}
