package dev.kvdb.pager;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The map of free pages in a file of two regions, as a checkpoint sees it. */
class SpaceMapTest {
  private static final int SECOND = FileFormat.REGION_PAGES;
  private static final int PAGES = SECOND + 128;
  private static final long DURABLE = 10;
  private static final int[] OLD_CATALOG = {SECOND + 5};

  /** In the durable state nothing is taken but the fixed pages and a catalog in region 1. */
  private static SpaceMap map() {
    SpaceMap map =
        new SpaceMap(
            (region, stamp, bits) -> {
              Region durable = new Region(region);
              durable.initialize();
              System.arraycopy(durable.reached, 0, bits, 0, bits.length);
              if (region == 1) {
                Region.set(bits, OLD_CATALOG[0] - SECOND);
              }
              return 0;
            },
            SpacePolicy.RULES);
    map.load(List.of(new SpaceMap.Listed(DURABLE, 4), new SpaceMap.Listed(DURABLE, 3)), PAGES);
    return map;
  }

  @Test
  void catalogMovesOutOfARegionThatNothingElseHasRead() {
    SpaceMap map = map();
    long number = 20;
    map.freeze(number);
    int[] catalog = {map.take()};
    List<SpaceMap.MapWrite> writes = map.mapsToWrite(catalog, OLD_CATALOG);
    List<SpaceMap.Listed> listed = map.listFor(number, writes, catalog, OLD_CATALOG);
    assertEquals(List.of(new SpaceMap.Listed(number, 5)), listed);
    map.adopt(number, writes, listed.size(), catalog, OLD_CATALOG);
    map.thaw();
    // Readers may still be there, so the old catalog's page is taken until it is given back.
    assertEquals(SECOND + 6, map.usedEnd());
    map.giveBack(OLD_CATALOG[0]);
    assertEquals(FileFormat.META_PAGES[1] + 1, map.usedEnd());
    assertEquals(PAGES - 4 - 1 - 2, map.freePages());
  }

  @Test
  void pageCountOfACheckpointIsThatOfItsOwnMaps() {
    SpaceMap map = map();
    long number = 20;
    map.freeze(number);
    int[] catalog = {map.take()};
    int[] noCatalog = {};
    List<SpaceMap.MapWrite> writes = map.mapsToWrite(catalog, noCatalog);
    List<SpaceMap.Listed> listed = map.listFor(number, writes, catalog, noCatalog);
    assertEquals(List.of(0), writes.stream().map(write -> write.region().index).toList());
    // A commit goes on meanwhile, in the region whose map is not written.
    map.ensureLoaded(SECOND + 100);
    map.markReached(SECOND + 100, number + 1);
    assertEquals(SECOND + 6, map.pageCountFor(listed, writes));
  }
}
