package dev.kvdb.pager;

import dev.kvdb.nativecalls.NativeCallException;
import dev.kvdb.nativecalls.NativeCalls;
import dev.kvdb.nativecalls.NativeCalls.Advice;
import dev.kvdb.nativecalls.NativeCalls.OpenMode;
import dev.kvdb.page.PageFormat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;

/**
 * The one stretch of address space a database lives in, and the table that says where each page is.
 *
 * <pre>
 * [ frame pool: private memory, N frames ][ window on the page file: shared, read only ........... ]
 * </pre>
 *
 * <p>The window reaches past the end of the file and never moves; as the file grows, its pages
 * appear in it. The page table holds a number for each page: {@link #IN_WINDOW_UNCHECKED}, {@link
 * #IN_WINDOW} or a frame's number plus {@link #FRAME_BIAS}. It is read with acquire and written
 * with release semantics, the latter only after the bytes are where the entry says.
 */
public final class AddressSpace {
  /** The page is in the window; nobody has checked its checksum since the file was opened. */
  public static final int IN_WINDOW_UNCHECKED = 0;

  /** The page is in the window, and its checksum was seen to be right. */
  public static final int IN_WINDOW = 1;

  /** An entry of this or more, less this, is the number of the frame that holds the page. */
  public static final int FRAME_BIAS = 2;

  private static final ValueLayout.OfInt ENTRY = ValueLayout.JAVA_INT;
  private static final VarHandle ENTRY_HANDLE = ENTRY.varHandle();
  private static final long WINDOW_BYTES_MIN = 1L << 30;

  private final NativeCalls calls;
  private final Arena arena = Arena.ofShared();
  private final long address;
  private final long bytes;
  private final long tableAddress;
  private final long tableBytes;
  private final long windowBase;
  private final int windowPages;
  private final MemorySegment memory;
  private final MemorySegment table;

  /**
   * Reserves and maps. A reservation that the system refuses is halved, down to 1 GiB.
   *
   * @param frames how many frames the pool has
   * @param windowBytesWanted how far the page file may grow, in bytes
   * @param descriptor the page file
   * @throws NativeCallException if even the smallest reservation is refused
   */
  public AddressSpace(NativeCalls calls, int frames, long windowBytesWanted, int descriptor) {
    this.calls = calls;
    long granule = Math.max(calls.systemPageSize(), PageFormat.PAGE_BYTES);
    long poolBytes = roundUp((long) frames * PageFormat.PAGE_BYTES, granule);
    long windowBytes = roundUp(Math.max(windowBytesWanted, granule), granule);
    long reserved = 0;
    while (reserved == 0) {
      try {
        reserved = calls.reserve(poolBytes + windowBytes);
      } catch (NativeCallException refused) {
        if (windowBytes / 2 < WINDOW_BYTES_MIN) {
          throw refused;
        }
        windowBytes = roundUp(windowBytes / 2, granule);
      }
    }
    this.address = reserved;
    this.bytes = poolBytes + windowBytes;
    this.windowBase = poolBytes;
    this.windowPages = (int) Math.min(Integer.MAX_VALUE, windowBytes / PageFormat.PAGE_BYTES);
    this.tableBytes = roundUp((long) windowPages * ENTRY.byteSize(), granule);
    long reservedTable = 0;
    try {
      calls.mapMemory(address, poolBytes);
      calls.mapFile(address + poolBytes, windowBytes, descriptor, 0);
      calls.advise(address + poolBytes, windowBytes, Advice.RANDOM);
      reservedTable = calls.reserve(tableBytes);
      calls.mapMemory(reservedTable, tableBytes);
    } catch (RuntimeException failure) {
      calls.unmap(address, bytes);
      if (reservedTable != 0) {
        calls.unmap(reservedTable, tableBytes);
      }
      arena.close();
      throw failure;
    }
    this.tableAddress = reservedTable;
    this.memory = MemorySegment.ofAddress(address).reinterpret(bytes, arena, null);
    this.table = MemorySegment.ofAddress(tableAddress).reinterpret(tableBytes, arena, null);
  }

  private static long roundUp(long value, long granule) {
    return (value + granule - 1) / granule * granule;
  }

  /** Frames and window as one segment; it dies with {@link #closeArena()}. */
  public MemorySegment memory() {
    return memory;
  }

  /** Offset of the window in {@link #memory()}: frames lie below it. */
  public long windowBase() {
    return windowBase;
  }

  /** How many pages the window can show. */
  public int windowPages() {
    return windowPages;
  }

  /** Offset of a page in the window. */
  public long windowOffset(int page) {
    return windowBase + (long) page * PageFormat.PAGE_BYTES;
  }

  /** Offset of a frame. */
  public static long frameOffset(int frame) {
    return (long) frame * PageFormat.PAGE_BYTES;
  }

  /** Where a page is. */
  public int entry(int page) {
    return (int) ENTRY_HANDLE.getAcquire(table, (long) page * Integer.BYTES);
  }

  /** Says where a page is from now on. */
  public void setEntry(int page, int entry) {
    ENTRY_HANDLE.setRelease(table, (long) page * Integer.BYTES, entry);
  }

  /** Notes that an unchecked page was found to be right, unless it has moved meanwhile. */
  public void setChecked(int page) {
    ENTRY_HANDLE.compareAndSet(table, (long) page * Integer.BYTES, IN_WINDOW_UNCHECKED, IN_WINDOW);
  }

  /**
   * A view of bytes in this space that lives as long as another arena. It outlives {@link
   * #closeArena()}; see {@link #replaceByEmptyFile}.
   */
  public MemorySegment view(long offset, long length, Arena owner) {
    // The bounds check of asSlice comes first: reinterpret itself checks nothing.
    return memory.asSlice(offset, length).reinterpret(length, owner, null).asReadOnly();
  }

  /** Makes every further access through {@link #memory()} an {@link IllegalStateException}. */
  public void closeArena() {
    arena.close();
  }

  /**
   * Puts an empty file, which has no name any more, where the pages were: views that outlived the
   * arena then fault with an {@link InternalError} instead of killing the process or showing bytes
   * of a file that others may be changing.
   */
  public void replaceByEmptyFile(Path temporaryName) {
    int descriptor = calls.open(temporaryName, OpenMode.CREATE);
    try {
      calls.unlink(temporaryName);
      calls.mapFile(address, bytes, descriptor, 0);
    } finally {
      calls.close(descriptor);
    }
  }

  /** Gives the pages' address space back; nothing may refer to it any more. */
  public void unmapPages() {
    calls.unmap(address, bytes);
  }

  /** Gives the page table back; after {@link #closeArena()}. */
  public void unmapTable() {
    calls.unmap(tableAddress, tableBytes);
  }
}
