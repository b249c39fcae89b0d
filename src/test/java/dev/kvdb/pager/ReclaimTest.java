package dev.kvdb.pager;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kvdb.nativecalls.NativeCalls;
import dev.kvdb.nativecalls.NativeCalls.OpenMode;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When a dead page may be handed out again. */
class ReclaimTest {
  @TempDir Path directory;

  private final NativeCalls calls = NativeCalls.system();
  private int descriptor;
  private AddressSpace space;
  private Pager pager;

  @BeforeEach
  void open() {
    descriptor = calls.open(directory.resolve("db"), OpenMode.CREATE);
    NewPageFile.write(calls, descriptor);
    PageFile file = new PageFile(calls, descriptor);
    Meta meta = Metas.read(file).newest();
    space = new AddressSpace(calls, Pager.FRAMES_MIN, 1 << 24, descriptor);
    Catalog catalog = Catalog.read(file, 0, 0);
    pager = new Pager(space, file, Pager.FRAMES_MIN, meta, catalog, true, SpacePolicy.RULES);
  }

  @AfterEach
  void close() {
    space.closeArena();
    space.unmapTable();
    space.unmapPages();
    calls.close(descriptor);
  }

  private int makePage(long number) {
    pager.beginCommit(number, true);
    int page = pager.allocate();
    pager.applyCommit();
    pager.publish(number);
    return page;
  }

  private int changePage(int page, long birth, long number) {
    pager.beginCommit(number, true);
    int copy = pager.change(page, birth);
    pager.applyCommit();
    pager.publish(number);
    return copy;
  }

  @Test
  void aReaderInItsSlotKeepsWhatDiedSince() {
    int page = makePage(1);
    int token = pager.enter();
    changePage(page, 1, 2);
    int free = pager.freePages();
    pager.reclaim();
    pager.reclaim();
    assertEquals(free, pager.freePages());
    pager.exit(token);
    pager.reclaim();
    assertEquals(free + 1, pager.freePages());
  }

  /**
   * A reader of the snapshot may enter its slot behind the scan of the slots and find the snapshot
   * open, just before it is released; the scan says nothing of that reader.
   */
  @Test
  void aSlotScanBeforeTheReleaseOfASnapshotFreesNothingThatItHeld() {
    int page = makePage(1);
    pager.snapshots().register(1);
    changePage(page, 1, 2);
    pager.reclaim();
    int free = pager.freePages();
    pager.snapshots().release(1);
    // This scan finds the slots empty and only then notices the release.
    pager.reclaim();
    assertEquals(free, pager.freePages());
    pager.reclaim();
    assertEquals(free + 1, pager.freePages());
  }
}
