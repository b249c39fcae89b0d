package dev.kvdb.nativecalls;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.nativecalls.NativeCalls.Advice;
import dev.kvdb.nativecalls.NativeCalls.FlushLevel;
import dev.kvdb.nativecalls.NativeCalls.MappedFile;
import dev.kvdb.nativecalls.NativeCalls.OpenMode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the calls pass to the kernel, and what they make of answers that it seldom gives. */
class StubbedCallsTest {
  private static final int EINTR = 4;
  private static final int EIO = 5;
  private static final int EINVAL = 22;
  private static final int ENOSPC = 28;
  private static final int ENOSYS = 38;
  private static final int EOPNOTSUPP = 95;
  private static final int EDQUOT = 122;

  private final StubbedCalls stubs = new StubbedCalls();

  @AfterEach
  void freeStubs() {
    stubs.close();
  }

  /** Fails with EINTR twice, then answers 0. */
  private static int interruptedTwice(AtomicInteger calls) {
    return calls.incrementAndGet() <= 2 ? StubbedCalls.fail(EINTR) : 0;
  }

  @Test
  void interruptedCallsAreRepeated() {
    AtomicInteger fdatasync = new AtomicInteger();
    AtomicInteger flock = new AtomicInteger();
    AtomicInteger ftruncate = new AtomicInteger();
    AtomicInteger fallocate = new AtomicInteger();
    AtomicInteger open = new AtomicInteger();
    AtomicInteger msync = new AtomicInteger();
    stubs
        .oneInt("fdatasync", fd -> interruptedTwice(fdatasync))
        .twoInts("flock", (fd, operation) -> interruptedTwice(flock))
        .intLong("ftruncate", (fd, size) -> interruptedTwice(ftruncate))
        .fallocate((fd, mode, offset, length) -> interruptedTwice(fallocate))
        .open((path, flags, mode) -> interruptedTwice(open))
        .range("msync", (address, length, flags) -> interruptedTwice(msync));
    NativeCalls calls = stubs.calls();

    assertTrue(calls.flush(7, FlushLevel.BARRIER));
    assertTrue(calls.tryLock(7, true));
    calls.truncate(7, 0);
    calls.allocate(7, 0, 1);
    assertEquals(0, calls.open(Path.of("x"), OpenMode.READ_ONLY));
    calls.msync(4096, 1);

    for (AtomicInteger count : List.of(fdatasync, flock, ftruncate, fallocate, open, msync)) {
      assertEquals(3, count.get());
    }
  }

  @Test
  void aCloseIsNeverRepeated() {
    AtomicInteger closes = new AtomicInteger();
    NativeCalls interrupted =
        stubs
            .oneInt(
                "close",
                fd -> {
                  closes.incrementAndGet();
                  return StubbedCalls.fail(fd == 7 ? EINTR : EIO);
                })
            .calls();

    interrupted.close(7);
    assertEquals(1, closes.get());
    NativeCallException e = assertThrows(NativeCallException.class, () -> interrupted.close(8));
    assertEquals("EIO", e.errnoName());
    assertEquals("close descriptor 8: input/output error (EIO, errno 5)", e.getMessage());
    assertEquals(2, closes.get());
  }

  @Test
  void shortAndInterruptedWritesGoOnWhereTheyStopped() {
    byte[] file = new byte[100];
    AtomicInteger writes = new AtomicInteger();
    NativeCalls calls =
        stubs
            .transfer(
                "pwrite",
                (fd, buffer, length, offset) -> {
                  if (writes.incrementAndGet() % 2 == 0) {
                    return StubbedCalls.fail(EINTR);
                  }
                  int part = (int) Math.min(7, length);
                  MemorySegment.copy(
                      buffer.reinterpret(part), ValueLayout.JAVA_BYTE, 0, file, (int) offset, part);
                  return part;
                })
            .calls();
    byte[] bytes = new byte[90];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (i + 1);
    }
    try (Arena arena = Arena.ofConfined()) {
      calls.write(7, arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes), 10);
    }
    byte[] expected = new byte[100];
    System.arraycopy(bytes, 0, expected, 10, 90);
    assertArrayEquals(expected, file);
    assertEquals(25, writes.get());
  }

  @Test
  void shortAndInterruptedReadsGoOnToTheEndOfTheFile() {
    AtomicInteger reads = new AtomicInteger();
    NativeCalls calls =
        stubs
            .transfer(
                "pread",
                (fd, buffer, length, offset) -> {
                  if (reads.incrementAndGet() % 2 == 0) {
                    return StubbedCalls.fail(EINTR);
                  }
                  long part = Math.min(Math.min(7, length), 50 - offset);
                  for (long i = 0; i < part; i++) {
                    buffer.reinterpret(part).set(ValueLayout.JAVA_BYTE, i, (byte) (offset + i));
                  }
                  return part;
                })
            .calls();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(100);
      assertEquals(45, calls.read(7, buffer, 5));
      for (int i = 0; i < 45; i++) {
        assertEquals(i + 5, buffer.get(ValueLayout.JAVA_BYTE, i));
      }
      assertEquals(0, buffer.get(ValueLayout.JAVA_BYTE, 45));
    }
  }

  @Test
  void aWriteThatWritesNothingIsAnError() {
    NativeCalls calls = stubs.transfer("pwrite", (fd, buffer, length, offset) -> 0L).calls();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(10);
      NativeCallException e =
          assertThrows(NativeCallException.class, () -> calls.write(7, buffer, 0));
      assertEquals("EIO", e.errnoName());
    }
  }

  @Test
  void largeTransfersArePassedInPartsThatEverySystemTakes() {
    List<Long> lengths = new ArrayList<>();
    NativeCalls calls =
        stubs
            .transfer(
                "pwrite",
                (fd, buffer, length, offset) -> {
                  lengths.add(length);
                  return length;
                })
            .calls();
    // Nothing is read from it: the stub only counts.
    MemorySegment large = MemorySegment.ofAddress(4096).reinterpret((5L << 30) / 2);
    calls.write(7, large, 0);
    assertEquals(List.of(1L << 30, 1L << 30, 1L << 29), lengths);
  }

  @Test
  void failedWritesTellWhatWasMissing() {
    AtomicInteger writes = new AtomicInteger();
    NativeCalls calls =
        stubs
            .transfer(
                "pwrite",
                (fd, buffer, length, offset) ->
                    writes.incrementAndGet() == 1 ? 4 : StubbedCalls.fail(EDQUOT))
            .calls();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(10);
      NativeCallException e =
          assertThrows(NativeCallException.class, () -> calls.write(7, buffer, 4096));
      assertEquals("pwrite", e.call());
      assertEquals("descriptor 7, offset 4100, 6 bytes", e.subject());
      assertEquals("EDQUOT", e.errnoName());
      assertTrue(e.isOutOfSpace());
    }
  }

  @Test
  void openPassesItsModeBehindTheNamedArguments() {
    AtomicInteger flagsSeen = new AtomicInteger();
    AtomicInteger modeSeen = new AtomicInteger();
    StringBuilder pathSeen = new StringBuilder();
    NativeCalls calls =
        stubs
            .open(
                (path, flags, mode) -> {
                  pathSeen.append(path.reinterpret(100).getString(0));
                  flagsSeen.set(flags);
                  modeSeen.set(mode);
                  return 9;
                })
            .calls();
    assertEquals(9, calls.open(Path.of("/a/b"), OpenMode.CREATE));
    assertEquals("/a/b", pathSeen.toString());
    assertEquals(0644, modeSeen.get());
    // O_RDWR, O_CREAT, O_NOCTTY, O_NONBLOCK, O_CLOEXEC; neither O_TRUNC nor O_EXCL
    assertEquals(02 | 0100 | 0400 | 04000 | 02000000, flagsSeen.get());
  }

  @Test
  void zerosAreWrittenWhereBlocksCannotBeAllocated(@TempDir Path directory) throws Exception {
    for (int errno : new int[] {EOPNOTSUPP, ENOSYS}) {
      NativeCalls calls =
          stubs.fallocate((fd, mode, offset, length) -> StubbedCalls.fail(errno)).calls();
      Path file = directory.resolve("file" + errno);
      Files.write(file, new byte[] {1, 2, 3});
      int descriptor = calls.open(file, OpenMode.READ_WRITE);
      try {
        calls.allocate(descriptor, 0, 2);
        assertArrayEquals(new byte[] {1, 2, 3}, Files.readAllBytes(file));
        calls.allocate(descriptor, 1, 700_000);
        byte[] expected = new byte[700_001];
        System.arraycopy(new byte[] {1, 2, 3}, 0, expected, 0, 3);
        assertArrayEquals(expected, Files.readAllBytes(file));
        calls.allocate(descriptor, 800_000, 10);
        assertEquals(800_010, Files.size(file));
      } finally {
        calls.close(descriptor);
      }
    }
  }

  @Test
  void aFullDiskIsNotTakenForAFileSystemThatCannotAllocate() {
    AtomicInteger writes = new AtomicInteger();
    NativeCalls calls =
        stubs
            .fallocate((fd, mode, offset, length) -> StubbedCalls.fail(ENOSPC))
            .transfer(
                "pwrite",
                (fd, buffer, length, offset) -> {
                  writes.incrementAndGet();
                  return length;
                })
            .calls();
    NativeCallException e =
        assertThrows(NativeCallException.class, () -> calls.allocate(7, 0, 4096));
    assertTrue(e.isOutOfSpace());
    assertEquals(0, writes.get());
  }

  @Test
  void everyFlushLevelSyncsTheDataOnce() {
    for (FlushLevel level : FlushLevel.values()) {
      AtomicInteger syncs = new AtomicInteger();
      NativeCalls calls =
          stubs
              .oneInt(
                  "fdatasync",
                  fd -> {
                    assertEquals(7, fd);
                    return syncs.getAndIncrement();
                  })
              .calls();
      assertTrue(calls.flush(7, level));
      assertEquals(1, syncs.get());
    }
    NativeCalls failing = stubs.oneInt("fdatasync", fd -> StubbedCalls.fail(EIO)).calls();
    NativeCallException e =
        assertThrows(NativeCallException.class, () -> failing.flush(7, FlushLevel.FULL));
    assertEquals("fdatasync", e.call());
    assertEquals("EIO", e.errnoName());
    assertFalse(e.isOutOfSpace());
  }

  @Test
  void aFailedDirectorySyncStillClosesTheDirectory(@TempDir Path directory) {
    AtomicInteger synced = new AtomicInteger(-1);
    AtomicInteger closed = new AtomicInteger(-2);
    NativeCalls calls =
        stubs
            .oneInt(
                "fsync",
                fd -> {
                  synced.set(fd);
                  return StubbedCalls.fail(EIO);
                })
            .oneInt(
                "close",
                fd -> {
                  closed.set(fd);
                  return 0;
                })
            .calls();
    NativeCallException e =
        assertThrows(NativeCallException.class, () -> calls.syncDirectory(directory));
    assertEquals("fsync", e.call());
    assertEquals(directory.toString(), e.subject());
    assertEquals(synced.get(), closed.get());
    NativeCalls.system().close(synced.get());
  }

  @Test
  void rangesAreWidenedToWholePages() {
    AtomicLong start = new AtomicLong();
    AtomicLong size = new AtomicLong();
    List<Integer> numbers = new ArrayList<>();
    StubbedCalls.Range seen =
        (address, length, number) -> {
          start.set(address);
          size.set(length);
          numbers.add(number);
          return 0;
        };
    LinuxCalls calls = stubs.range("madvise", seen).range("msync", seen).calls();
    long page = calls.systemPageSize();
    for (Advice advice : Advice.values()) {
      calls.advise(5 * page + 10, 20, advice);
      assertEquals(5 * page, start.get());
      assertEquals(30, size.get());
    }
    assertEquals(List.of(0, 1, 2, 3, 20), numbers);
    calls.msync(5 * page - 1, 2);
    assertEquals(4 * page, start.get());
    assertEquals(page + 1, size.get());
    assertEquals(4, numbers.getLast());
  }

  @Test
  void pagesAreTouchedOneByOneWhereTheKernelCannotPopulate(@TempDir Path directory)
      throws Exception {
    AtomicInteger advices = new AtomicInteger();
    NativeCalls calls =
        stubs
            .range(
                "madvise",
                (address, length, advice) -> {
                  advices.incrementAndGet();
                  return StubbedCalls.fail(EINVAL);
                })
            .calls();
    int page = calls.systemPageSize();
    Path path = directory.resolve("file");
    byte[] contents = new byte[3 * page + 1];
    Arrays.fill(contents, (byte) 0xA5);
    Files.write(path, contents);
    int descriptor = calls.open(path, OpenMode.READ_WRITE);
    MappedFile file = calls.mapShared(descriptor, contents.length);
    file.prefault(0, contents.length);
    file.prefault(contents.length - 1, 1);
    assertEquals(2, advices.get());
    file.sync(0, contents.length);
    assertArrayEquals(contents, Files.readAllBytes(path));

    calls.truncate(descriptor, page);
    file.prefault(0, page);
    NativeCallException e =
        assertThrows(NativeCallException.class, () -> file.prefault(page, page));
    assertEquals("EFAULT", e.errnoName());
    file.close();
    calls.close(descriptor);
  }
}
