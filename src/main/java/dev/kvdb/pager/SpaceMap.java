package dev.kvdb.pager;

import dev.kvdb.page.CorruptPageException;
import java.util.ArrayList;
import java.util.List;

/**
 * Which pages of the file are free. Guarded by the commit lock.
 *
 * <p>The file is divided into regions; each has its map in two pages at its head, written in turn
 * by the checkpoints. A map is read when its region is first needed, so opening a database reads
 * none.
 */
final class SpaceMap {
  /**
   * Reads a region's durable map: two candidate slots, of which the one with the right stamp
   * counts.
   */
  interface MapReader {
    /** Fills the bits from the slot that bears the stamp; returns which slot that was. */
    int read(int region, long stamp, long[] bits);
  }

  /** A region as a catalog lists it. */
  record Listed(long stamp, int markedCount) {}

  /** A map that a checkpoint has to write. */
  record MapWrite(Region region, int slot, long[] bits, int markedCount) {
    int page() {
      return region.firstPage() + FileFormat.MAP_PAGES[slot];
    }
  }

  private final MapReader reader;
  private final SpacePolicy policy;
  private final List<Region> regions = new ArrayList<>();
  private int filePages;
  private int freePages;
  private int hint;
  private long freezeNumber = Region.NO_STAMP;

  SpaceMap(MapReader reader, SpacePolicy policy) {
    this.reader = reader;
    this.policy = policy;
  }

  /** Takes over the regions of a catalog; the file has {@code pages} pages. */
  void load(List<Listed> listed, int pages) {
    for (Listed entry : listed) {
      Region region = new Region(regions.size());
      region.stamp = entry.stamp();
      region.changedAt = entry.stamp();
      region.usedCount = entry.markedCount();
      region.reachedCount = entry.markedCount();
      regions.add(region);
    }
    growTo(pages, 0);
  }

  int filePages() {
    return filePages;
  }

  int freePages() {
    return freePages;
  }

  int regionCount() {
    return regions.size();
  }

  /** A file length, at least the one asked for, whose last region has room for its map pages. */
  static int usableLength(long pages) {
    long inLast = pages % FileFormat.REGION_PAGES;
    long usable = inLast != 0 && inLast < FileFormat.FIRST_FREE_PAGE + 1 ? pages + 4 : pages;
    return (int) Math.min(Integer.MAX_VALUE, usable);
  }

  /** The file has become longer; new regions are dirty from the start. */
  void growTo(int pages, long number) {
    filePages = pages;
    int wanted = (int) ((pages + (long) FileFormat.REGION_PAGES - 1) / FileFormat.REGION_PAGES);
    while (regions.size() < wanted) {
      Region region = new Region(regions.size());
      region.initialize();
      region.changedAt = number;
      regions.add(region);
    }
    recountFree();
  }

  private void recountFree() {
    long free = 0;
    for (Region region : regions) {
      free += freeIn(region);
    }
    freePages = (int) free;
  }

  /** A file that ends before the map pages of its last region has nothing to give there. */
  private int freeIn(Region region) {
    return Math.max(0, pagesInFile(region) - region.usedCount);
  }

  private int pagesInFile(Region region) {
    return Math.min(FileFormat.REGION_PAGES, filePages - region.firstPage());
  }

  private Region regionOf(int page) {
    int index = page / FileFormat.REGION_PAGES;
    if (page <= 0 || index >= regions.size()) {
      throw new CorruptPageException(page, "the number lies outside the file");
    }
    return regions.get(index);
  }

  /** Reads the map of a page's region if it is not in memory yet; may fail, so it comes first. */
  void ensureLoaded(int page) {
    load(regionOf(page));
  }

  private void load(Region region) {
    if (region.isLoaded()) {
      return;
    }
    long[] bits = new long[FileFormat.MAP_WORDS];
    region.mapSlot = reader.read(region.index, region.stamp, bits);
    int marked = 0;
    for (long word : bits) {
      marked += Long.bitCount(word);
    }
    if (marked != region.usedCount) {
      throw new CorruptPageException(
          region.firstPage() + FileFormat.MAP_PAGES[region.mapSlot],
          "the space map marks " + marked + " pages, the catalog says " + region.usedCount);
    }
    region.reached = bits;
    region.used = bits.clone();
  }

  void loadAll() {
    for (Region region : regions) {
      load(region);
    }
  }

  /** Hands out a free page, the lowest there is from a hint on; -1 if the file has none. */
  int take() {
    if (freePages == 0) {
      return -1;
    }
    int start = hint / FileFormat.REGION_PAGES;
    for (int i = 0; i <= regions.size(); i++) {
      Region region = regions.get((start + i) % regions.size());
      int limit = pagesInFile(region);
      if (freeIn(region) == 0) {
        continue;
      }
      load(region);
      int from = i == 0 ? hint % FileFormat.REGION_PAGES : 0;
      int found = region.firstFree(from, limit);
      if (found >= 0) {
        Region.set(region.used, found);
        region.usedCount++;
        freePages--;
        int page = region.firstPage() + found;
        hint = page;
        return page;
      }
    }
    return -1;
  }

  /** A page that nothing holds any more may be handed out again. */
  void giveBack(int page) {
    Region region = regionOf(page);
    int inRegion = page - region.firstPage();
    if (!Region.get(region.used, inRegion) || FileFormat.isFixed(page)) {
      throw new IllegalStateException("page " + page + " was given back but not taken");
    }
    Region.clear(region.used, inRegion);
    region.usedCount--;
    freePages++;
    if (page < hint) {
      hint = page;
    }
  }

  /** A commit that was applied reaches a page it made. */
  void markReached(int page, long number) {
    Region region = beforeChange(page, number);
    int inRegion = page - region.firstPage();
    if (!Region.get(region.reached, inRegion)) {
      Region.set(region.reached, inRegion);
      region.reachedCount++;
    }
  }

  /** A commit that was applied no longer reaches a page. */
  void markUnreached(int page, long number) {
    Region region = beforeChange(page, number);
    int inRegion = page - region.firstPage();
    if (Region.get(region.reached, inRegion)) {
      Region.clear(region.reached, inRegion);
      region.reachedCount--;
    }
  }

  private Region beforeChange(int page, long number) {
    Region region = regionOf(page);
    if (freezeNumber != Region.NO_STAMP && region.frozenFor != freezeNumber) {
      region.frozen = region.reached.clone();
      region.frozenCount = region.reachedCount;
      region.frozenFor = freezeNumber;
    }
    if (number > region.changedAt) {
      region.changedAt = number;
    }
    return region;
  }

  /** A checkpoint begins: from here on the maps as they are now are kept for it. */
  void freeze(long number) {
    freezeNumber = number;
  }

  /** The checkpoint is over, whatever became of it. */
  void thaw() {
    freezeNumber = Region.NO_STAMP;
    for (Region region : regions) {
      region.frozen = null;
      region.frozenFor = Region.NO_STAMP;
    }
  }

  private boolean isFrozenCopy(Region region) {
    return region.frozenFor == freezeNumber;
  }

  private int frozenCount(Region region) {
    return isFrozenCopy(region) ? region.frozenCount : region.reachedCount;
  }

  /** How many pages of a region the frozen checkpoint marks, its catalog included. */
  private int markedCount(Region region, int[] catalog, int[] oldCatalog) {
    return frozenCount(region) + countIn(region, catalog) - countIn(region, oldCatalog);
  }

  private int countIn(Region region, int[] pages) {
    int count = 0;
    for (int page : pages) {
      if (page / FileFormat.REGION_PAGES == region.index) {
        count++;
      }
    }
    return count;
  }

  /**
   * How many regions the frozen checkpoint's catalog lists: up to the last one that holds more than
   * its own map.
   */
  private int listedCount(int[] catalog, int[] oldCatalog) {
    int count = regions.size();
    while (count > 1
        && markedCount(regions.get(count - 1), catalog, oldCatalog)
            == regions.get(count - 1).fixedCount()) {
      count--;
    }
    return count;
  }

  /**
   * The maps that the frozen checkpoint has to write: what its roots reach, with its own catalog
   * and without the one before it.
   *
   * @param catalog the pages of its catalog
   * @param oldCatalog the pages of the catalog of the durable checkpoint
   */
  List<MapWrite> mapsToWrite(int[] catalog, int[] oldCatalog) {
    for (int page : oldCatalog) {
      // Its region may drop off the list, but its map changes when the checkpoint is adopted.
      ensureLoaded(page);
    }
    int listed = listedCount(catalog, oldCatalog);
    List<MapWrite> writes = new ArrayList<>();
    for (Region region : regions.subList(0, listed)) {
      boolean touched = countIn(region, catalog) + countIn(region, oldCatalog) > 0;
      if (!touched && policy.isMapExact(region.changedAt, freezeNumber, region.stamp)) {
        continue;
      }
      load(region);
      long[] bits = (isFrozenCopy(region) ? region.frozen : region.reached).clone();
      for (int page : oldCatalog) {
        if (page / FileFormat.REGION_PAGES == region.index) {
          Region.clear(bits, page - region.firstPage());
        }
      }
      for (int page : catalog) {
        if (page / FileFormat.REGION_PAGES == region.index) {
          Region.set(bits, page - region.firstPage());
        }
      }
      int marked = markedCount(region, catalog, oldCatalog);
      writes.add(new MapWrite(region, 1 - region.mapSlot, bits, marked));
    }
    return writes;
  }

  /** The regions as the frozen checkpoint's catalog lists them, given the maps it writes. */
  List<Listed> listFor(long number, List<MapWrite> writes, int[] catalog, int[] oldCatalog) {
    List<Listed> listed = new ArrayList<>();
    for (Region region : regions.subList(0, listedCount(catalog, oldCatalog))) {
      listed.add(new Listed(region.stamp, markedCount(region, catalog, oldCatalog)));
    }
    for (MapWrite write : writes) {
      listed.set(write.region().index, new Listed(number, write.markedCount()));
    }
    return listed;
  }

  /** One past the last page that the frozen checkpoint's maps mark. */
  int pageCountFor(List<Listed> listed, List<MapWrite> writes) {
    Region last = regions.get(listed.size() - 1);
    for (MapWrite write : writes) {
      if (write.region() == last) {
        return last.firstPage() + Region.lastMarked(write.bits()) + 1;
      }
    }
    load(last);
    // Not what commits have made of it since the checkpoint began: the file may not be as long yet
    // on the disk.
    long[] bits = isFrozenCopy(last) ? last.frozen : last.reached;
    return last.firstPage() + Region.lastMarked(bits) + 1;
  }

  /** The checkpoint is durable: its maps are the durable ones, its catalog is reached. */
  void adopt(long number, List<MapWrite> writes, int listedCount, int[] catalog, int[] oldCatalog) {
    for (MapWrite write : writes) {
      write.region().stamp = number;
      write.region().mapSlot = write.slot();
    }
    for (int page : catalog) {
      markReached(page, number);
    }
    for (int page : oldCatalog) {
      markUnreached(page, number);
    }
    for (Region region : regions.subList(listedCount, regions.size())) {
      if (!region.isLoaded()) {
        region.initialize();
      }
      region.stamp = Region.NO_STAMP;
    }
  }

  /** One past the last page that may not be handed out. */
  int usedEnd() {
    for (int i = regions.size() - 1; i >= 0; i--) {
      Region region = regions.get(i);
      if (region.usedCount > region.fixedCount() || i == 0) {
        load(region);
        return region.firstPage() + Region.lastMarked(region.used) + 1;
      }
    }
    return 0;
  }

  /** The file has been cut to this many pages, none of them in use. */
  void cutTo(int pages) {
    int wanted = (int) ((pages + (long) FileFormat.REGION_PAGES - 1) / FileFormat.REGION_PAGES);
    while (regions.size() > wanted) {
      regions.remove(regions.size() - 1);
    }
    filePages = pages;
    if (hint >= pages) {
      hint = 0;
    }
    recountFree();
  }

  /** A copy of the reached pages of every region, for a check of the whole tree. */
  List<long[]> reachedCopy() {
    loadAll();
    List<long[]> copy = new ArrayList<>();
    for (Region region : regions) {
      copy.add(region.reached.clone());
    }
    return copy;
  }
}
