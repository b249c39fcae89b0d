package dev.kvdb.pager;

import dev.kvdb.page.CorruptPageException;
import dev.kvdb.page.Faults;
import dev.kvdb.page.PageChecksum;
import dev.kvdb.page.PageFormat;
import dev.kvdb.page.TreePage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/**
 * The pages of one open database: finds them for readers, makes, changes and frees them for the
 * commit under way, and decides when a page number or a frame may be used again.
 *
 * <p>{@link #locate}, {@link #enter} and {@link #exit} are for any thread. All else needs the
 * commit lock, which the engine owns and hands in where this class has to release it.
 *
 * <p>The life of a page number: taken by a commit; reached once that commit is applied; dead when a
 * later commit or checkpoint no longer reaches it; waiting until that death is published and every
 * reader that began before has gone; kept while the durable checkpoint, a begun one or a snapshot
 * reaches it; free.
 */
public final class Pager implements PageWriter {
  /** Free page numbers that keep their frame, so that a row of small commits stays in the cache. */
  private static final int HOT_MAX = 64;

  private static final int GROW_PAGES_MIN = 64;
  private static final int GROW_PAGES_MAX = 4096;
  private static final int GROW_FRACTION = 8;
  private static final int EVICT_PAGES_MAX = 256;

  /** Pages that commits which only delete may take beyond what others may (I-13). */
  static final int RESERVE_PAGES_MIN = 64;

  /** The fewest frames a pool can work with: the pages one operation pins, several times over. */
  public static final int FRAMES_MIN = 256;

  private final AddressSpace space;
  private final PageFile file;
  private final MemorySegment memory;
  private final long windowBase;
  private final int windowPages;
  private final ReaderSlots slots = new ReaderSlots();
  private final SnapshotRegistry snapshots = new SnapshotRegistry();
  private final SpacePolicy policy;
  final SpaceMap map;
  final Frames frames;
  private final Holders holders;
  private final RunWriter evictions;
  private final boolean writesFile;

  private final PageChecksum checksum = new PageChecksum();
  private final byte[] checkBuffer = new byte[PageFormat.PAGE_BYTES];

  private final int[] hot;
  private int hotCount;

  private long commitNumber;
  private long operation;

  /** The free pages that the commit or checkpoint under way leaves alone unless the file grows. */
  private int floorPages;

  private int[] made = new int[64];
  private int madeCount;
  private final PageList deaths = new PageList();

  /** Applied, but the commit that decided the death is not published yet. */
  private final PageList unpublished = new PageList();

  /** Published; readers that began before may still be there. */
  private final PageList limbo = new PageList();

  private long published;
  private long passed;
  private long passingEpoch;
  private long passingNumber;
  private long durableNumber;
  private long begunNumber = NONE;
  private long registryVersion = -1;
  private int reservePages;

  /** The part of the reserve that commits leave to the checkpoint, which alone gives pages back. */
  private int checkpointPages;

  private int[] catalogPages;
  private long catalogBirth;

  private long evictedPages;
  private long evictionRounds;

  /** Frames below this are in memory. Written by the one thread that touches ahead. */
  private volatile int touchedFrames;

  private static final int TOUCHED_AHEAD_MIN = 512;
  private static final int TOUCHED_AHEAD = 1024;
  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
  private static final long NONE = -1;

  /**
   * Opens the pages of a checkpoint.
   *
   * @param space where they are mapped
   * @param file where they lie
   * @param frameCount the frames of the pool
   * @param meta the checkpoint
   * @param catalog its catalog
   * @param writesFile false if no byte of the file may change: nothing is evicted, the file does
   *     not grow, new pages exist in frames only
   */
  public Pager(
      AddressSpace space,
      PageFile file,
      int frameCount,
      Meta meta,
      Catalog catalog,
      boolean writesFile,
      SpacePolicy policy) {
    this.space = space;
    this.file = file;
    this.memory = space.memory();
    this.windowBase = space.windowBase();
    this.windowPages = space.windowPages();
    this.policy = policy;
    this.writesFile = writesFile;
    this.frames = new Frames(frameCount);
    this.hot = new int[Math.min(HOT_MAX, frameCount / 8)];
    this.holders = new Holders(policy);
    this.evictions = new RunWriter(file);
    this.map = new SpaceMap(this::readMap, policy);
    this.catalogPages = catalog.pages();
    this.catalogBirth = meta.catalogBirth();
    this.durableNumber = meta.checkpointNumber();
    this.published = meta.checkpointNumber();
    sizeReserve();
    map.load(catalog.regions(), file.pages());
    if (map.filePages() > windowPages) {
      throw new PoolLimitException(
          "the page file has "
              + map.filePages()
              + " pages, its address space room for "
              + windowPages
              + " (open it with a larger addressSpaceBytes)");
    }
    refreshHolders();
  }

  // ------------------------------------------------------------------ reading

  @Override
  public MemorySegment memory() {
    return memory;
  }

  @Override
  public long locate(int page, long birth) {
    if (page <= 0 || page >= windowPages) {
      throw new CorruptPageException(page, "the number lies outside the file");
    }
    int entry = space.entry(page);
    long offset;
    if (entry >= AddressSpace.FRAME_BIAS) {
      offset = AddressSpace.frameOffset(entry - AddressSpace.FRAME_BIAS);
    } else {
      offset = windowBase + (long) page * PageFormat.PAGE_BYTES;
      if (entry == AddressSpace.IN_WINDOW_UNCHECKED) {
        check(page, offset);
      }
    }
    long bears = memory.get(PageFormat.LONG, offset + PageFormat.BIRTH);
    if (bears != birth) {
      throw PageChecks.wrongBirth(page, bears, birth);
    }
    return offset;
  }

  private void check(int page, long offset) {
    if (page >= map.filePages()) {
      throw new CorruptPageException(page, "the number lies outside the file");
    }
    PageChecks.requireChecksum(page, memory, offset);
    space.setChecked(page);
  }

  @Override
  public boolean isStable(long offset) {
    return offset >= windowBase;
  }

  @Override
  public int enter() {
    return slots.enter();
  }

  @Override
  public void exit(int token) {
    slots.exit(token);
  }

  /** The numbers that open snapshots hold. */
  public SnapshotRegistry snapshots() {
    return snapshots;
  }

  // ------------------------------------------------------------------ the commit under way

  /**
   * Begins a commit, or the next stretch of a replay.
   *
   * @param number taken from the one counter, never used before
   * @param mayUseReserve whether it may take the last pages: it only deletes, or repairs
   */
  public void beginCommit(long number, boolean mayUseReserve) {
    commitNumber = number;
    floorPages = mayUseReserve ? checkpointPages : reservePages;
    madeCount = 0;
    deaths.clear();
    operation++;
  }

  @Override
  public long commitNumber() {
    return commitNumber;
  }

  @Override
  public void beginOperation() {
    operation++;
  }

  @Override
  public int allocate() {
    int page = takePage();
    try {
      attachFrame(page);
    } catch (RuntimeException | Error failure) {
      map.giveBack(page);
      throw failure;
    }
    addMade(page);
    return page;
  }

  private void attachFrame(int page) {
    int entry = space.entry(page);
    int frame = entry >= AddressSpace.FRAME_BIAS ? entry - AddressSpace.FRAME_BIAS : acquireFrame();
    frames.assign(frame, page, commitNumber, operation);
    memory.set(PageFormat.LONG, AddressSpace.frameOffset(frame) + PageFormat.BIRTH, commitNumber);
    if (entry < AddressSpace.FRAME_BIAS) {
      space.setEntry(page, frame + AddressSpace.FRAME_BIAS);
    }
  }

  private void addMade(int page) {
    if (madeCount == made.length) {
      made = Arrays.copyOf(made, madeCount * 2);
    }
    made[madeCount++] = page;
  }

  @Override
  public int change(int page, long birth) {
    int entry = space.entry(page);
    if (birth == commitNumber && entry >= AddressSpace.FRAME_BIAS) {
      // I-1: only the commit that made a page changes it in place.
      int frame = entry - AddressSpace.FRAME_BIAS;
      frames.pinnedBy[frame] = operation;
      frames.referenced[frame] = true;
      frames.setState(frame, Frames.DIRTY);
      return page;
    }
    map.ensureLoaded(page);
    int copy = allocate();
    // Only now: making room may have moved the page out of its frame.
    long from = locate(page, birth);
    long to = AddressSpace.frameOffset(space.entry(copy) - AddressSpace.FRAME_BIAS);
    if (from >= windowBase) {
      MemorySegment.copy(memory, from, memory, to, PageFormat.PAGE_BYTES);
      requireChecksumOfCopy(page, to);
    } else {
      TreePage.copyPage(memory, from, memory, to);
    }
    memory.set(PageFormat.LONG, to + PageFormat.BIRTH, commitNumber);
    deaths.add(page, birth, commitNumber, 0);
    return copy;
  }

  /**
   * Where a page of the applied state can be changed in place; what changes there must be nothing
   * that any root shows (I-21).
   *
   * @return its offset, -1 if it is not in a frame
   */
  public long frameOffsetOf(int page) {
    int entry = space.entry(page);
    return entry >= AddressSpace.FRAME_BIAS
        ? AddressSpace.frameOffset(entry - AddressSpace.FRAME_BIAS)
        : -1;
  }

  /** Says that a page in a frame was changed in place. */
  public void markChanged(int page) {
    int frame = space.entry(page) - AddressSpace.FRAME_BIAS;
    frames.referenced[frame] = true;
    frames.setState(frame, Frames.DIRTY);
  }

  /** The writer trusts nothing that it copies out of the file. */
  private void requireChecksumOfCopy(int page, long offset) {
    Faults.poll();
    MemorySegment.copy(memory, PageFormat.BYTE, offset, checkBuffer, 0, checkBuffer.length);
    int stored = memory.get(PageFormat.INT, offset + PageFormat.CHECKSUM);
    if (checksum.compute(page, checkBuffer) != stored) {
      throw new CorruptPageException(page, "its checksum does not fit its content");
    }
  }

  @Override
  public void free(int page, long birth) {
    map.ensureLoaded(page);
    deaths.add(page, birth, commitNumber, 0);
    int entry = space.entry(page);
    if (birth == commitNumber && entry >= AddressSpace.FRAME_BIAS) {
      // Nobody can reach it, whatever becomes of this commit: never worth writing.
      frames.setState(entry - AddressSpace.FRAME_BIAS, Frames.DEAD);
    }
  }

  /** How many pages the commit under way has made. */
  public int madePages() {
    return madeCount;
  }

  /** The commit is in the log: its pages are reached, its deaths are filed. Does not fail. */
  public void applyCommit() {
    for (int i = 0; i < madeCount; i++) {
      map.markReached(made[i], commitNumber);
    }
    fileDeaths();
  }

  private void fileDeaths() {
    for (int i = 0; i < deaths.size(); i++) {
      int page = deaths.page(i);
      map.markUnreached(page, commitNumber);
      int entry = space.entry(page);
      if (entry >= AddressSpace.FRAME_BIAS) {
        int frame = entry - AddressSpace.FRAME_BIAS;
        frames.death[frame] = commitNumber;
        frames.referenced[frame] = false;
      }
      unpublished.add(page, deaths.birth(i), commitNumber, 0);
    }
    madeCount = 0;
    deaths.clear();
  }

  /**
   * The commit failed: the pages it made are free at once, the deaths it decided never happened.
   */
  public void abandonCommit() {
    if (!policy.dropsDeathsOfFailedCommit()) {
      fileDeaths();
    }
    deaths.clear();
    for (int i = 0; i < madeCount; i++) {
      release(made[i]);
    }
    madeCount = 0;
    operation++;
  }

  /** Readers begin at this number from now on; what died at or before it is on its way to reuse. */
  public void publish(long number) {
    published = number;
    moveUnpublished();
  }

  private void moveUnpublished() {
    long stamp = slots.epoch();
    while (!unpublished.isEmpty() && policy.isPublished(unpublished.death(0), published)) {
      int page = unpublished.page(0);
      long birth = unpublished.birth(0);
      int entry = space.entry(page);
      if (entry >= AddressSpace.FRAME_BIAS && !holders.mayHold(birth)) {
        frames.setState(entry - AddressSpace.FRAME_BIAS, Frames.DEAD);
      }
      limbo.add(page, birth, unpublished.death(0), stamp);
      unpublished.removeFirst();
    }
  }

  // ------------------------------------------------------------------ reuse

  /**
   * Frees what no reader and no holder can reach any more. The order matters (I-9): the slots are
   * scanned before the snapshots are looked at, because a snapshot registers inside a slot.
   */
  public void reclaim() {
    moveUnpublished();
    if (passingEpoch == 0) {
      passingEpoch = slots.epoch();
      passingNumber = published;
    }
    long oldest = slots.raiseEpochAndScan();
    if (oldest > passingEpoch) {
      passed = passingNumber;
      passingEpoch = 0;
    }
    // What holders let go of from here on bears this epoch. The scan came before, so it does not
    // speak for readers that found a snapshot open behind it: the next scan does.
    long scanned = Math.min(oldest, slots.epoch());
    refreshHolders();
    while (!limbo.isEmpty() && limbo.stamp(0) < scanned) {
      int page = limbo.page(0);
      long birth = limbo.birth(0);
      long death = limbo.death(0);
      limbo.removeFirst();
      int holder = holders.find(birth, death);
      if (holder >= 0) {
        revive(page);
        holders.keep(holder, page, birth, death);
      } else {
        release(page);
      }
    }
    frames.releaseWaiting(oldest);
  }

  /** A dead page that a snapshot still shows may have to be evicted like any other. */
  private void revive(int page) {
    int entry = space.entry(page);
    if (entry >= AddressSpace.FRAME_BIAS) {
      int frame = entry - AddressSpace.FRAME_BIAS;
      if (frames.state[frame] == Frames.DEAD) {
        frames.setState(frame, Frames.DIRTY);
      }
    }
  }

  private void refreshHolders() {
    long version = snapshots.version();
    if (version == registryVersion) {
      return;
    }
    updateHolders();
    registryVersion = version;
  }

  private void updateHolders() {
    long[] open = snapshots.numbers();
    long[] all = Arrays.copyOf(open, open.length + 2);
    int count = open.length;
    all[count++] = durableNumber;
    if (begunNumber != NONE && policy.begunCheckpointHolds()) {
      all[count++] = begunNumber;
    }
    long[] now = Arrays.stream(all, 0, count).sorted().distinct().toArray();
    holders.update(now, limbo, slots.epoch());
  }

  /** Puts a page that nothing can reach back among the free ones. */
  private void release(int page) {
    int entry = space.entry(page);
    if (entry >= AddressSpace.FRAME_BIAS) {
      int frame = entry - AddressSpace.FRAME_BIAS;
      frames.setState(frame, Frames.DEAD);
      frames.death[frame] = Long.MAX_VALUE;
      if (hotCount < hot.length && page < map.filePages()) {
        hot[hotCount++] = page;
        return;
      }
      detach(page, frame);
    }
    map.giveBack(page);
  }

  private void detach(int page, int frame) {
    space.setEntry(page, AddressSpace.IN_WINDOW_UNCHECKED);
    frames.release(frame);
  }

  private void coolDown() {
    while (hotCount > 0) {
      int page = hot[--hotCount];
      detach(page, space.entry(page) - AddressSpace.FRAME_BIAS);
      map.giveBack(page);
    }
  }

  private int takePage() {
    if (hotCount == 0 && !limbo.isEmpty()) {
      reclaim();
    }
    if (hotCount > 0) {
      return hot[--hotCount];
    }
    if (map.freePages() <= floorPages) {
      grow();
    }
    int page = map.take();
    if (page < 0) {
      throw new IllegalStateException("no page is free in a file that has just grown");
    }
    return page;
  }

  /** A page for the catalog: it is written directly and needs no frame. */
  int takePageWithoutFrame() {
    floorPages = 0;
    int page = takePage();
    int entry = space.entry(page);
    if (entry >= AddressSpace.FRAME_BIAS) {
      frames.release(entry - AddressSpace.FRAME_BIAS);
    }
    space.setEntry(page, AddressSpace.IN_WINDOW_UNCHECKED);
    return page;
  }

  private void grow() {
    int pages = map.filePages();
    int step = Math.clamp(pages / GROW_FRACTION, GROW_PAGES_MIN, GROW_PAGES_MAX);
    long wanted = (long) pages + Math.max(step, reservePages - map.freePages() + 1);
    int target = SpaceMap.usableLength(wanted);
    if (target > windowPages) {
      throw new PoolLimitException(
          "the page file has reached the end of its address space of "
              + windowPages
              + " pages (open it with a larger addressSpaceBytes)");
    }
    if (writesFile) {
      file.allocate(pages, target);
    }
    map.growTo(target, commitNumber);
  }

  // ------------------------------------------------------------------ frames

  private int acquireFrame() {
    int frame = frames.take();
    for (int round = 0; frame < 0; round++) {
      if (round > 0 || frames.hasWaiting() || !limbo.isEmpty()) {
        reclaim();
        frame = frames.take();
      }
      if (frame < 0) {
        stealHot();
        frame = frames.take();
      }
      if (frame < 0 && !frames.hasWaiting() && evict() == 0 && isNobodyLeaving()) {
        throw new PoolLimitException(
            "all "
                + frames.count
                + " frames of the pool are in use (open with a larger poolBytes, or, if it was"
                + " opened read-only, open it once for writing)");
      }
      if (frame < 0 && round > 1) {
        // A reader is inside its slot; no user code runs there, so it leaves soon.
        Thread.yield();
      }
    }
    return frame;
  }

  private boolean isNobodyLeaving() {
    return !frames.hasWaiting() && limbo.isEmpty();
  }

  private void stealHot() {
    if (hotCount > 0) {
      int page = hot[--hotCount];
      detach(page, space.entry(page) - AddressSpace.FRAME_BIAS);
      map.giveBack(page);
    }
  }

  /** Frees frames: clean ones are dropped, dirty ones written first. Returns how many. */
  private int evict() {
    int wanted = Math.clamp(frames.count / 16, 8, EVICT_PAGES_MAX);
    int[] dirty = new int[wanted];
    int dirtyCount = 0;
    int found = 0;
    // Two turns: the first takes second chances away. A third would find written frames again.
    for (long steps = 2L * frames.count; steps > 0 && found < wanted; steps--) {
      int frame = frames.hand;
      frames.hand = frame + 1 == frames.count ? 0 : frame + 1;
      if (!isEvictable(frame)) {
        continue;
      }
      if (frames.referenced[frame]) {
        frames.referenced[frame] = false;
        continue;
      }
      if (frames.state[frame] != Frames.DIRTY) {
        unlinkFrame(frame);
        found++;
      } else if (writesFile) {
        frames.referenced[frame] = true; // not found in the second turn
        dirty[dirtyCount++] = frames.page[frame];
        found++;
      }
    }
    writeAndUnlink(dirty, dirtyCount);
    evictedPages += found;
    evictionRounds += found > 0 ? 1 : 0;
    return found;
  }

  private boolean isEvictable(int frame) {
    byte state = frames.state[frame];
    // A page that the commit under way made and freed: no reader ever saw it.
    boolean isOwnDead = state == Frames.DEAD && frames.birth[frame] == commitNumber;
    return (state == Frames.CLEAN || state == Frames.DIRTY || isOwnDead)
        && frames.pinnedBy[frame] != operation
        && !frames.checkpointPin[frame];
  }

  private void writeAndUnlink(int[] pages, int count) {
    if (count == 0) {
      return;
    }
    Arrays.sort(pages, 0, count);
    try {
      for (int i = 0; i < count; i++) {
        int frame = space.entry(pages[i]) - AddressSpace.FRAME_BIAS;
        evictions.add(pages[i], memory, AddressSpace.frameOffset(frame));
      }
      evictions.write();
    } catch (RuntimeException | Error failure) {
      evictions.discard();
      throw failure;
    }
    for (int i = 0; i < count; i++) {
      unlinkFrame(space.entry(pages[i]) - AddressSpace.FRAME_BIAS);
    }
  }

  /** The window shows the same bytes from here on; the frame waits for its readers. */
  private void unlinkFrame(int frame) {
    space.setEntry(frames.page[frame], AddressSpace.IN_WINDOW);
    frames.unlink(frame, slots.epoch());
  }

  /**
   * Whether frames should be touched ahead: the system gives memory at the first touch, and that
   * costs more than all else a commit does.
   */
  public boolean wantsFramesTouched() {
    return touchedFrames < frames.count && touchedFrames - frames.unused < TOUCHED_AHEAD_MIN;
  }

  /** Touches the next frames. For a background thread, not under the commit lock. */
  public void touchFramesAhead() {
    int from = touchedFrames;
    int to = Math.min(frames.count, Math.max(from, frames.unused) + TOUCHED_AHEAD);
    for (int frame = from; frame < to; frame++) {
      // One indivisible step that changes nothing: a commit may be filling the frame already.
      WORD.getAndBitwiseOr(memory, AddressSpace.frameOffset(frame), 0L);
      touchedFrames = frame + 1;
    }
  }

  // ------------------------------------------------------------------ checkpoints

  /** A checkpoint begins between two commits: what is reached now is held for it. */
  void beginCheckpoint(long number) {
    begunNumber = number;
    map.freeze(number);
    updateHolders();
  }

  /** The begun checkpoint came to nothing. */
  void abandonCheckpoint(int[] newCatalog) {
    for (int page : newCatalog) {
      map.giveBack(page);
    }
    begunNumber = NONE;
    map.thaw();
    updateHolders();
  }

  /** The begun checkpoint is durable: what only the one before it held is on its way to reuse. */
  void adoptCheckpoint(Meta meta, Catalog catalog, List<SpaceMap.MapWrite> maps) {
    long number = meta.checkpointNumber();
    map.adopt(number, maps, catalog.regions().size(), catalog.pages(), catalogPages);
    long stamp = slots.epoch();
    durableNumber = number;
    begunNumber = NONE;
    map.thaw();
    updateHolders();
    for (int page : catalogPages) {
      limbo.add(page, catalogBirth, number, stamp);
    }
    catalogPages = catalog.pages();
    catalogBirth = number;
    sizeReserve();
    reclaim();
    limbo.trim();
  }

  /** Enough for a catalog that has grown, and beyond that for the paths of some deletes (I-13). */
  private void sizeReserve() {
    checkpointPages = 2 * (catalogPages.length + 1);
    reservePages = RESERVE_PAGES_MIN + checkpointPages;
  }

  /** Cuts the free tail off the file if that is worth it. */
  void cutTail() {
    coolDown();
    int keep = map.usedEnd() + reservePages;
    int target = SpaceMap.usableLength(Math.max(keep, GROW_PAGES_MIN));
    int tail = map.filePages() - target;
    if (tail > Math.max(GROW_PAGES_MIN, map.filePages() / GROW_FRACTION)) {
      file.cut(target);
      map.cutTo(target);
    }
  }

  /** Whether the file could be cut to less than half if the catalog did not lie near its end. */
  boolean isTailHeldByCatalog() {
    if (map.freePages() < map.filePages() / 2 || map.filePages() <= 2 * GROW_PAGES_MIN) {
      return false;
    }
    int last = map.usedEnd() - 1;
    for (int page : catalogPages) {
      if (page == last) {
        return true;
      }
    }
    return false;
  }

  PageFile file() {
    return file;
  }

  AddressSpace space() {
    return space;
  }

  int[] catalogPages() {
    return catalogPages;
  }

  boolean mustWrite(int frame, long checkpoint) {
    return frames.state[frame] == Frames.DIRTY
        && policy.holds(checkpoint, frames.birth[frame], frames.death[frame]);
  }

  int readMap(int region, long stamp, long[] bits) {
    for (int slot = 0; slot < FileFormat.MAP_PAGES.length; slot++) {
      int page = region * FileFormat.REGION_PAGES + FileFormat.MAP_PAGES[slot];
      byte[] bytes = file.read(page);
      if (bytes == null || !PageChecksum.isRight(page, bytes)) {
        continue;
      }
      ByteBuffer b = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
      if (b.get(PageFormat.TYPE) == PageFormat.TYPE_SPACE_MAP
          && policy.isMapOf(b.getLong(PageFormat.BIRTH), stamp)) {
        b.position(PageFormat.HEADER_BYTES);
        b.asLongBuffer().get(bits);
        return slot;
      }
    }
    throw new CorruptPageException(
        region * FileFormat.REGION_PAGES + FileFormat.MAP_PAGES[0],
        "neither of the two space maps of its region bears the number " + stamp);
  }

  // ------------------------------------------------------------------ figures

  /**
   * The newest number such that no reader can still be at an older one: with {@link #isHeld} it
   * decides when an entry of a list of roots may go.
   */
  public long passedNumber() {
    return passed;
  }

  /** Whether a snapshot or a checkpoint is at a number from the first to before the second. */
  public boolean isHeld(long from, long to) {
    return holders.isHeld(from, to);
  }

  /** Dead pages that only the durable checkpoint still reaches. */
  public long deadPagesOfCheckpoint() {
    return holders.keptFor(durableNumber);
  }

  /** The pages of the file. */
  public int filePages() {
    return map.filePages();
  }

  /** Pages of the file that are free now. */
  public int freePages() {
    return map.freePages() + hotCount;
  }

  /** How many pages the catalog has. */
  public int catalogPageCount() {
    return catalogPages.length;
  }

  /** The pages of the catalog. */
  public int[] catalogPageNumbers() {
    return catalogPages.clone();
  }

  /** Whether a page is a meta page or holds a space map. */
  public static boolean isFixedPage(int page) {
    return FileFormat.isFixed(page);
  }

  /** Frames that hold a page or wait for a reader. */
  public int framesInUse() {
    return frames.count - frames.freeCount();
  }

  /** Pages written back and frames dropped to make room in the pool. */
  public long evictedPages() {
    return evictedPages;
  }

  /** How often room had to be made in the pool. */
  public long evictionRounds() {
    return evictionRounds;
  }

  /** Frames that hold a page changed since it was last written. */
  public int dirtyFrames() {
    return frames.dirtyCount;
  }

  /** The frames of the pool. */
  public int frameCount() {
    return frames.count;
  }

  /** A copy of the map of reached pages, a bit a page, a region an array. */
  public List<long[]> reachedPages() {
    return map.reachedCopy();
  }
}
