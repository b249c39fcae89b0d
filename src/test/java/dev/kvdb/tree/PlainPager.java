package dev.kvdb.tree;

import dev.kvdb.page.CorruptPageException;
import dev.kvdb.page.PageFormat;
import dev.kvdb.pager.PageReader;
import dev.kvdb.pager.PageWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A pager without a file, for tests of the tree: one native segment with frames at its beginning
 * and a place for every page number behind them, the window. One thread.
 *
 * <p>It keeps the contract of {@link PageWriter} and not a bit more. In <i>paranoid</i> mode pages
 * are made in frames; whenever the contract lets offsets expire, every page in a frame that is not
 * pinned moves to another frame or is evicted to its place in the window, and its old frame is
 * filled with 0xDE. A freed page is filled with 0xDE, unless it is kept for snapshots. Wrong use (a
 * page freed twice, a freed page located or changed) is an {@link AssertionError}.
 */
final class PlainPager implements PageWriter {
  private static final byte POISON = (byte) 0xDE;
  private static final int PARANOID_FRAMES = 160;
  private static final int RESIDENT_MAX = 24;
  private static final int EVICT_ONE_IN = 8;

  private static final byte UNUSED = 0;
  private static final byte LIVE = 1;
  private static final byte KEPT = 2;
  private static final byte FREED = 3;

  private static final int IN_WINDOW = -1;

  private final Random random;
  private final boolean paranoid;
  private final boolean keepsFreed;
  private final MemorySegment memory;
  private final int frames;
  private final int[] pageIn;
  private final boolean[] pinned;
  private final byte[] state;
  private final int[] frameOf;
  private final long[] birthOf;
  private final ArrayDeque<Integer> reusable = new ArrayDeque<>();
  private final List<Integer> kept = new ArrayList<>();
  private int nextPage = 1;
  private long number = 1;
  private long allocated;
  private long freed;
  private int entered;
  private boolean damaged;

  private PlainPager(long seed, int pages, boolean paranoid, boolean keepsFreed) {
    this.random = new Random(seed);
    this.paranoid = paranoid;
    this.keepsFreed = keepsFreed;
    this.frames = paranoid ? PARANOID_FRAMES : 0;
    long bytes = (frames + (long) pages) * PageFormat.PAGE_BYTES;
    this.memory = Arena.ofAuto().allocate(bytes, PageFormat.PAGE_BYTES);
    this.pageIn = new int[frames];
    this.pinned = new boolean[frames];
    this.state = new byte[pages];
    this.frameOf = new int[pages];
    this.birthOf = new long[pages];
  }

  /** Quick: pages stay where they are. */
  static PlainPager steady(int pages) {
    return new PlainPager(1, pages, false, false);
  }

  /** Moves and poisons whatever it may; freed pages are gone. */
  static PlainPager paranoid(long seed, int pages) {
    return new PlainPager(seed, pages, true, false);
  }

  /** The same, but pages that an older commit made stay readable in {@link #snapshotReader}. */
  static PlainPager keepingFreed(long seed, int pages) {
    return new PlainPager(seed, pages, true, true);
  }

  // ------------------------------------------------------------------ what tests ask

  /** Begins the next commit: what the one before made must not change any more. */
  void nextCommit() {
    number++;
    beginOperation();
  }

  long allocated() {
    return allocated;
  }

  long freed() {
    return freed;
  }

  long livePages() {
    return allocated - freed;
  }

  boolean isLive(int page) {
    return page > 0 && page < nextPage && state[page] == LIVE;
  }

  /** From now on a pointer to a freed page is damage in a page, not a fault of the tree. */
  void expectDamage() {
    damaged = true;
  }

  /** No snapshot needs the pages kept so far. */
  void dropKept() {
    for (int page : kept) {
      bury(page);
    }
    kept.clear();
  }

  /** Reads pages that were freed and kept, too. */
  PageReader snapshotReader() {
    PlainPager outer = this;
    return new PageReader() {
      @Override
      public MemorySegment memory() {
        return memory;
      }

      @Override
      public long locate(int page, long birth) {
        return outer.locate(page, birth, true);
      }

      @Override
      public boolean isStable(long offset) {
        return outer.isStable(offset);
      }

      @Override
      public int enter() {
        return outer.enter();
      }

      @Override
      public void exit(int token) {
        outer.exit(token);
      }
    };
  }

  // ------------------------------------------------------------------ reading

  @Override
  public MemorySegment memory() {
    return memory;
  }

  @Override
  public long locate(int page, long birth) {
    return locate(page, birth, false);
  }

  private long locate(int page, long birth, boolean isSnapshot) {
    require(page);
    if (state[page] == FREED || (state[page] == KEPT && !isSnapshot)) {
      if (damaged) {
        throw new CorruptPageException(page, "it is free");
      }
      throw new AssertionError("page " + page + " was freed and is looked for");
    }
    long at = offsetOf(page);
    long bears = memory.get(PageFormat.LONG, at + PageFormat.BIRTH);
    if (bears != birth || birthOf[page] != birth) {
      throw new CorruptPageException(
          page, "it bears the commit number " + bears + ", what points to it says " + birth);
    }
    return at;
  }

  private void require(int page) {
    if (page <= 0 || page >= nextPage || state[page] == UNUSED) {
      throw new CorruptPageException(page, "the number lies outside the file");
    }
  }

  private long offsetOf(int page) {
    return frameOf[page] == IN_WINDOW ? windowOffset(page) : frameOffset(frameOf[page]);
  }

  private long windowOffset(int page) {
    return (frames + (long) page) * PageFormat.PAGE_BYTES;
  }

  private static long frameOffset(int frame) {
    return (long) frame * PageFormat.PAGE_BYTES;
  }

  @Override
  public boolean isStable(long offset) {
    return offset >= frameOffset(frames);
  }

  @Override
  public int enter() {
    return ++entered;
  }

  @Override
  public void exit(int token) {
    if (token != entered) {
      throw new AssertionError("left with token " + token + ", entered with " + entered);
    }
    entered--;
    if (entered == 0) {
      shake();
    }
  }

  // ------------------------------------------------------------------ writing

  @Override
  public long commitNumber() {
    return number;
  }

  @Override
  public void beginOperation() {
    java.util.Arrays.fill(pinned, false);
    shake();
  }

  @Override
  public int allocate() {
    shake();
    int page = takeNumber();
    state[page] = LIVE;
    birthOf[page] = number;
    allocated++;
    frameOf[page] = IN_WINDOW;
    if (paranoid) {
      int frame = freeFrame();
      pageIn[frame] = page;
      frameOf[page] = frame;
      pinned[frame] = true;
    }
    long at = offsetOf(page);
    memory.asSlice(at, PageFormat.PAGE_BYTES).fill(POISON);
    memory.set(PageFormat.LONG, at + PageFormat.BIRTH, number);
    return page;
  }

  private int takeNumber() {
    if (nextPage < state.length) {
      return nextPage++;
    }
    Integer page = reusable.poll();
    if (page == null) {
      throw new AssertionError("the test pager has only " + state.length + " pages");
    }
    return page;
  }

  @Override
  public int change(int page, long birth) {
    locate(page, birth);
    if (birth == number && (!paranoid || frameOf[page] != IN_WINDOW)) {
      if (paranoid) {
        pinned[frameOf[page]] = true;
        shake();
      }
      return page;
    }
    int copy = allocate();
    long to = offsetOf(copy);
    MemorySegment.copy(memory, locate(page, birth), memory, to, PageFormat.PAGE_BYTES);
    memory.set(PageFormat.LONG, to + PageFormat.BIRTH, number);
    free(page, birth);
    return copy;
  }

  @Override
  public void free(int page, long birth) {
    require(page);
    if (state[page] != LIVE) {
      throw new AssertionError("page " + page + " is freed a second time");
    }
    locate(page, birth);
    freed++;
    if (keepsFreed && birth != number) {
      state[page] = KEPT;
      kept.add(page);
    } else {
      bury(page);
    }
  }

  private void bury(int page) {
    memory.asSlice(offsetOf(page), PageFormat.PAGE_BYTES).fill(POISON);
    if (frameOf[page] != IN_WINDOW) {
      pageIn[frameOf[page]] = 0;
      pinned[frameOf[page]] = false;
      frameOf[page] = IN_WINDOW;
    }
    state[page] = FREED;
    reusable.add(page);
  }

  // ------------------------------------------------------------------ moving pages

  private int freeFrame() {
    int start = random.nextInt(frames);
    for (int i = 0; i < frames; i++) {
      int frame = (start + i) % frames;
      if (pageIn[frame] == 0) {
        return frame;
      }
    }
    throw new AssertionError("more than " + frames + " pages are pinned");
  }

  /** Moves or evicts every page in a frame that is not pinned. */
  private void shake() {
    if (!paranoid || entered > 0) {
      return;
    }
    int resident = 0;
    List<Integer> unpinned = new ArrayList<>();
    for (int frame = 0; frame < frames; frame++) {
      if (pageIn[frame] != 0 && !pinned[frame]) {
        unpinned.add(frame);
      }
    }
    for (int frame : unpinned) {
      if (++resident > RESIDENT_MAX || random.nextInt(EVICT_ONE_IN) == 0) {
        move(frame, IN_WINDOW);
      } else {
        move(frame, freeFrame());
      }
    }
  }

  private void move(int frame, int target) {
    int page = pageIn[frame];
    long from = frameOffset(frame);
    long to = target == IN_WINDOW ? windowOffset(page) : frameOffset(target);
    MemorySegment.copy(memory, from, memory, to, PageFormat.PAGE_BYTES);
    memory.asSlice(from, PageFormat.PAGE_BYTES).fill(POISON);
    pageIn[frame] = 0;
    frameOf[page] = target;
    if (target != IN_WINDOW) {
      pageIn[target] = page;
    }
  }
}
