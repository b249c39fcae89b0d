package dev.kvdb.pager;

import dev.kvdb.page.CorruptPageException;
import dev.kvdb.page.PageFormat;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes one checkpoint: pages, maps and catalog first, a flush, then the meta page, another flush.
 *
 * <p>One thread, one checkpoint at a time. The commit lock is taken only for short stretches;
 * commits go on meanwhile. Until the meta page is written, any failure abandons the checkpoint and
 * nothing has changed; from then on a failure is final, because nobody can tell which meta the disk
 * holds (I-14).
 */
public final class CheckpointWriter {
  /** Frames looked at in one stretch under the lock. */
  private static final int SCAN_FRAMES = 4096;

  private final Pager pager;
  private final ReentrantLock commitLock;
  private final RunWriter writer;
  private int metaPlace;

  /** Volatile for those who only want figures. */
  private volatile Meta durableMeta;

  private long number;
  private int[] catalogPages = {};
  private Catalog catalog;
  private List<SpaceMap.MapWrite> maps;
  private Meta nextMeta;

  /**
   * @param metaPlace which of the two places holds the durable meta
   */
  public CheckpointWriter(Pager pager, ReentrantLock commitLock, int metaPlace, Meta durableMeta) {
    this.pager = pager;
    this.commitLock = commitLock;
    this.writer = new RunWriter(pager.file());
    this.metaPlace = metaPlace;
    this.durableMeta = durableMeta;
  }

  /**
   * Reads both metas, the catalog and the space maps of the durable checkpoint from the file again.
   * No checkpoint may be under way.
   *
   * @return what is wrong, in words
   */
  public List<String> durableProblems() {
    List<String> problems = new ArrayList<>();
    PageFile file = pager.file();
    try {
      checkMetas(Metas.read(file), problems);
      Catalog read = Catalog.read(file, durableMeta.catalogPage(), durableMeta.catalogBirth());
      for (int region = 0; region < read.regions().size(); region++) {
        checkMap(region, read.regions().get(region), problems);
      }
    } catch (CorruptPageException | UnsupportedFileException damaged) {
      problems.add(damaged.getMessage());
    }
    return problems;
  }

  private void checkMetas(Metas metas, List<String> problems) {
    if (metas.isOneDamaged()) {
      problems.add("page " + FileFormat.META_PAGES[1 - metas.newestPlace()] + ": no meta page");
    }
    if (metas.newest().checkpointNumber() != durableMeta.checkpointNumber()) {
      problems.add("the newest meta page is not the one this open wrote or found");
    }
  }

  private void checkMap(int region, SpaceMap.Listed listed, List<String> problems) {
    long[] bits = new long[FileFormat.MAP_WORDS];
    try {
      int slot = pager.readMap(region, listed.stamp(), bits);
      long marked = Arrays.stream(bits).map(Long::bitCount).sum();
      if (marked != listed.markedCount()) {
        problems.add(
            "page "
                + (region * FileFormat.REGION_PAGES + FileFormat.MAP_PAGES[slot])
                + ": marks "
                + marked
                + " pages, the catalog says "
                + listed.markedCount());
      }
    } catch (CorruptPageException damaged) {
      problems.add(damaged.getMessage());
    }
  }

  /** The meta of the durable checkpoint. Any thread. */
  public Meta durableMeta() {
    return durableMeta;
  }

  /**
   * Freezes what is applied now. Under the commit lock, between two commits.
   *
   * @param checkpointNumber taken from the one counter just now
   */
  public void begin(long checkpointNumber) {
    number = checkpointNumber;
    catalogPages = new int[0];
    pager.beginCheckpoint(checkpointNumber);
  }

  /** Writes the frozen pages that are not in the file yet. Without the lock. */
  public void writePages() {
    int[] pages = pagesToWrite();
    Arrays.sort(pages);
    // Commits cannot wait for pins, as unpinning needs their lock: most of the pool stays free.
    int pinsMax = Math.min(RunWriter.RUN_PAGES_MAX, pager.frames.count / 4);
    int[] framesOfRun = new int[pinsMax];
    int next = 0;
    while (next < pages.length) {
      int end = Math.min(pages.length, next + pinsMax);
      int pinned = pin(pages, next, end, framesOfRun);
      try {
        for (int i = 0; i < pinned; i++) {
          int frame = framesOfRun[i];
          writer.add(pager.frames.page[frame], pager.memory(), AddressSpace.frameOffset(frame));
        }
        writer.write();
      } catch (RuntimeException | Error failure) {
        writer.discard();
        unpin(framesOfRun, pinned, false);
        throw failure;
      }
      unpin(framesOfRun, pinned, true);
      next = end;
      Failpoint.reach("checkpoint.pages");
    }
  }

  private int[] pagesToWrite() {
    int[] pages = new int[1024];
    int count = 0;
    for (int from = 0; from < pager.frames.count; from += SCAN_FRAMES) {
      int end = Math.min(pager.frames.count, from + SCAN_FRAMES);
      commitLock.lock();
      try {
        for (int frame = from; frame < end; frame++) {
          if (pager.mustWrite(frame, number)) {
            if (count == pages.length) {
              pages = Arrays.copyOf(pages, count * 2);
            }
            pages[count++] = pager.frames.page[frame];
          }
        }
      } finally {
        commitLock.unlock();
      }
    }
    return Arrays.copyOf(pages, count);
  }

  /** Pins those of the pages that are still dirty; an eviction may have written some meanwhile. */
  private int pin(int[] pages, int from, int end, int[] pinnedFrames) {
    int pinned = 0;
    commitLock.lock();
    try {
      for (int i = from; i < end; i++) {
        int entry = pager.space().entry(pages[i]);
        int frame = entry - AddressSpace.FRAME_BIAS;
        if (frame >= 0 && pager.mustWrite(frame, number)) {
          pager.frames.checkpointPin[frame] = true;
          pinnedFrames[pinned++] = frame;
        }
      }
    } finally {
      commitLock.unlock();
    }
    return pinned;
  }

  private void unpin(int[] pinnedFrames, int pinned, boolean written) {
    commitLock.lock();
    try {
      for (int i = 0; i < pinned; i++) {
        int frame = pinnedFrames[i];
        pager.frames.checkpointPin[frame] = false;
        if (written && pager.frames.state[frame] == Frames.DIRTY) {
          pager.frames.setState(frame, Frames.CLEAN);
        }
      }
    } finally {
      commitLock.unlock();
    }
  }

  /**
   * Writes the catalog and the maps that changed.
   *
   * @param tables the tables as frozen
   */
  public void writeCatalog(List<Catalog.Table> tables) {
    commitLock.lock();
    try {
      planCatalog(tables);
    } finally {
      commitLock.unlock();
    }
    List<byte[]> encoded = catalog.encode(number);
    List<Integer> numbers = new ArrayList<>();
    List<byte[]> contents = new ArrayList<>();
    for (int i = 0; i < catalogPages.length; i++) {
      numbers.add(catalogPages[i]);
      contents.add(encoded.get(i));
    }
    for (SpaceMap.MapWrite map : maps) {
      numbers.add(map.page());
      contents.add(encode(map));
    }
    try {
      for (int i : ascending(numbers)) {
        writer.add(numbers.get(i), MemorySegment.ofArray(contents.get(i)), 0);
      }
      writer.write();
    } catch (RuntimeException | Error failure) {
      writer.discard();
      throw failure;
    }
  }

  /**
   * Allocates the catalog's pages before the list of regions is drawn up, so that their regions are
   * on it (I-12); a page taken may add a region and so lengthen the list.
   */
  private void planCatalog(List<Catalog.Table> tables) {
    int needed = Catalog.pagesNeeded(pager.map.regionCount(), tables);
    while (catalogPages.length < needed) {
      int page = pager.takePageWithoutFrame();
      catalogPages = Arrays.copyOf(catalogPages, catalogPages.length + 1);
      catalogPages[catalogPages.length - 1] = page;
      needed = Catalog.pagesNeeded(pager.map.regionCount(), tables);
    }
    int[] old = pager.catalogPages();
    maps = pager.map.mapsToWrite(catalogPages, old);
    List<SpaceMap.Listed> regions = pager.map.listFor(number, maps, catalogPages, old);
    catalog = new Catalog(regions, tables, catalogPages);
  }

  private static int[] ascending(List<Integer> numbers) {
    return java.util.stream.IntStream.range(0, numbers.size())
        .boxed()
        .sorted((a, b) -> numbers.get(a) - numbers.get(b))
        .mapToInt(Integer::intValue)
        .toArray();
  }

  private byte[] encode(SpaceMap.MapWrite map) {
    byte[] page = new byte[PageFormat.PAGE_BYTES];
    ByteBuffer b = ByteBuffer.wrap(page).order(ByteOrder.LITTLE_ENDIAN);
    b.put(PageFormat.TYPE, (byte) PageFormat.TYPE_SPACE_MAP);
    b.putLong(PageFormat.BIRTH, number);
    b.position(PageFormat.HEADER_BYTES);
    b.asLongBuffer().put(map.bits());
    return page;
  }

  /** Makes everything that was written durable. The meta page may follow only after this. */
  public void flushPages() {
    Failpoint.reach("checkpoint.beforeFlush");
    pager.file().flush();
    Failpoint.reach("checkpoint.afterFlush");
  }

  /**
   * Draws up the meta of this checkpoint.
   *
   * @param log where replay starts, null for a checkpoint that names no log
   */
  public void planMeta(
      long nextCommitNumber,
      int nextTableId,
      boolean clean,
      long nextLsn,
      long nextSlotNumber,
      LogStart log,
      long millis) {
    commitLock.lock();
    try {
      nextMeta =
          new Meta(
              durableMeta.databaseHigh(),
              durableMeta.databaseLow(),
              durableMeta.timelineHigh(),
              durableMeta.timelineLow(),
              nextCommitNumber,
              number,
              catalogPages[0],
              number,
              pager.map.pageCountFor(catalog.regions(), maps),
              nextTableId,
              clean,
              nextLsn,
              nextSlotNumber,
              log,
              millis);
    } finally {
      commitLock.unlock();
    }
  }

  /**
   * Writes the meta over the older one and flushes it, and for a clean close over the other one
   * too. Whatever fails in here is final.
   */
  public void writeMeta() {
    writeMetaTo(1 - metaPlace, nextMeta);
    if (nextMeta.clean()) {
      writeMetaTo(1 - metaPlace, nextMeta);
    }
  }

  private void writeMetaTo(int place, Meta meta) {
    pager.file().writeMeta(place, meta);
    Failpoint.reach("meta.written");
    pager.file().flush();
    Failpoint.reach("meta.flushed");
    metaPlace = place;
    durableMeta = meta;
  }

  /**
   * Writes a meta that names the same checkpoint to both places, the second after the first is
   * durable: when a log is started. Whatever fails in here is final.
   */
  public void writeMetaToBoth(Meta meta) {
    writeMetaTo(1 - metaPlace, meta);
    writeMetaTo(1 - metaPlace, meta);
  }

  /**
   * What an opening writes before anything else: the chosen meta over itself, because the process
   * that wrote it may have died before it was flushed (I-15); then, to the other place, the same
   * state with its numbers moved on.
   */
  public void secureMeta(long nextCommitNumber) {
    writeMetaTo(metaPlace, durableMeta);
    writeMetaTo(1 - metaPlace, durableMeta.withNextCommitNumber(nextCommitNumber));
  }

  /** The checkpoint is durable: lets go of what only the one before it held. */
  public void finish() {
    commitLock.lock();
    try {
      pager.adoptCheckpoint(nextMeta, catalog, maps);
    } finally {
      commitLock.unlock();
    }
  }

  /** Gives the free tail of the file back, if it is worth a call. */
  public void cutTail() {
    commitLock.lock();
    try {
      pager.cutTail();
    } finally {
      commitLock.unlock();
    }
  }

  /** Whether another checkpoint would free much of the file: only the catalog holds its tail. */
  public boolean isTailHeldByCatalog() {
    commitLock.lock();
    try {
      return pager.isTailHeldByCatalog();
    } finally {
      commitLock.unlock();
    }
  }

  /** Takes the begun checkpoint back; allowed until {@link #writeMeta} is called. */
  public void abandon() {
    commitLock.lock();
    try {
      pager.abandonCheckpoint(catalogPages);
    } finally {
      commitLock.unlock();
    }
  }

  /** Pages written by checkpoints so far. */
  public long pagesWritten() {
    return writer.pagesWritten();
  }
}
