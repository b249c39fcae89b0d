package dev.kvdb.pager;

import dev.kvdb.page.PageChecksum;
import dev.kvdb.page.PageFormat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Collects pages in ascending order and writes neighbours with one call. The checksum is computed
 * here, on the private copy that is written. One thread at a time.
 */
final class RunWriter {
  /** The most pages a call writes. */
  static final int RUN_PAGES_MAX = 256;

  private final PageFile file;
  private final MemorySegment staging =
      Arena.ofAuto().allocate((long) RUN_PAGES_MAX * PageFormat.PAGE_BYTES, PageFormat.PAGE_BYTES);
  private final ByteBuffer stagingBytes = staging.asByteBuffer();
  private final PageChecksum checksum = new PageChecksum();
  private int firstPage;
  private int count;
  private long pagesWritten;
  private long runsWritten;

  RunWriter(PageFile file) {
    this.file = file;
  }

  /** Takes a copy of a page; may write what was collected before it. */
  void add(int page, MemorySegment source, long offset) {
    if (count > 0 && (page != firstPage + count || count == RUN_PAGES_MAX)) {
      write();
    }
    if (count == 0) {
      firstPage = page;
    }
    long at = (long) count * PageFormat.PAGE_BYTES;
    MemorySegment.copy(source, offset, staging, at, PageFormat.PAGE_BYTES);
    int crc = checksum.compute(page, stagingBytes, (int) at);
    staging.set(PageFormat.INT, at + PageFormat.CHECKSUM, crc);
    count++;
  }

  /** Writes what was collected. After a failure nothing is kept. */
  void write() {
    int pages = count;
    count = 0;
    if (pages > 0) {
      file.write(firstPage, staging.asSlice(0, (long) pages * PageFormat.PAGE_BYTES));
      pagesWritten += pages;
      runsWritten++;
    }
  }

  /** Throws away what was collected and not written. */
  void discard() {
    count = 0;
  }

  long pagesWritten() {
    return pagesWritten;
  }

  long runsWritten() {
    return runsWritten;
  }
}
