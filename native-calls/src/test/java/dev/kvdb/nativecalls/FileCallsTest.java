package dev.kvdb.nativecalls;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.nativecalls.NativeCalls.FileStatus;
import dev.kvdb.nativecalls.NativeCalls.FlushLevel;
import dev.kvdb.nativecalls.NativeCalls.OpenMode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import jnr.constants.platform.Errno;
import jnr.constants.platform.Fcntl;
import jnr.constants.platform.OpenFlags;
import jnr.posix.FileStat;
import jnr.posix.POSIX;
import jnr.posix.POSIXFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** The calls about files, against the real kernel, with jnr-posix as a second opinion. */
class FileCallsTest {
  private static final POSIX JNR = POSIXFactory.getNativePOSIX();
  private static final int LOCK_SHARED_NO_WAIT = 1 | 4;
  private static final int LOCK_EXCLUSIVE_NO_WAIT = 2 | 4;
  private static final int NO_DESCRIPTOR = 99_999;

  private final NativeCalls calls = NativeCalls.system();
  private final Arena arena = Arena.ofShared();
  private final List<Integer> opened = new ArrayList<>();

  @TempDir private Path directory;
  private Path file;

  @BeforeEach
  void nameFile() {
    file = directory.resolve("file");
  }

  @AfterEach
  void closeAll() {
    opened.forEach(calls::close);
    arena.close();
  }

  private int open(Path path, OpenMode mode) {
    int descriptor = calls.open(path, mode);
    opened.add(descriptor);
    return descriptor;
  }

  private void close(int descriptor) {
    opened.remove((Integer) descriptor);
    calls.close(descriptor);
  }

  private MemorySegment bytes(int... values) {
    MemorySegment segment = arena.allocate(values.length);
    for (int i = 0; i < values.length; i++) {
      segment.set(ValueLayout.JAVA_BYTE, i, (byte) values[i]);
    }
    return segment;
  }

  private static NativeCallException assertFails(Errno errno, Executable call) {
    NativeCallException e = assertThrows(NativeCallException.class, call);
    assertEquals(errno.name(), e.errnoName(), e.getMessage());
    assertEquals(errno.intValue(), e.errno(), e.getMessage());
    return e;
  }

  // open, close

  @Test
  void createMakesAnEmptyFileAndNeverTruncates() throws Exception {
    int descriptor = open(file, OpenMode.CREATE);
    assertEquals(0, Files.size(file));
    FileStat stat = JNR.fstat(descriptor);
    int umask = JNR.umask(0);
    JNR.umask(umask);
    assertEquals(0644 & ~umask, stat.mode() & 0777);
    calls.write(descriptor, bytes(1, 2, 3), 0);
    int again = open(file, OpenMode.CREATE);
    assertNotEquals(descriptor, again);
    assertArrayEquals(new byte[] {1, 2, 3}, Files.readAllBytes(file));
  }

  @Test
  void descriptorsAreNotInheritedByChildren() {
    for (OpenMode mode : List.of(OpenMode.CREATE, OpenMode.READ_WRITE, OpenMode.READ_ONLY)) {
      int descriptor = open(file, mode);
      int closeOnExec = 1;
      assertEquals(closeOnExec, JNR.fcntl(descriptor, Fcntl.F_GETFD) & closeOnExec);
      int access = JNR.fcntl(descriptor, Fcntl.F_GETFL) & OpenFlags.O_ACCMODE.intValue();
      OpenFlags expected = mode == OpenMode.READ_ONLY ? OpenFlags.O_RDONLY : OpenFlags.O_RDWR;
      assertEquals(expected.intValue(), access);
    }
  }

  @Test
  void openFailsWithTheKernelsReason() throws Exception {
    NativeCallException e = assertFails(Errno.ENOENT, () -> open(file, OpenMode.READ_ONLY));
    assertEquals("open", e.call());
    assertEquals(file.toString(), e.subject());
    assertEquals("open " + file + ": no such file or directory (ENOENT, errno 2)", e.getMessage());
    assertFails(Errno.ENOENT, () -> open(file, OpenMode.READ_WRITE));
    assertFails(Errno.ENOENT, () -> open(file.resolve("below"), OpenMode.CREATE));
    assertFails(Errno.EISDIR, () -> open(directory, OpenMode.READ_WRITE));
    Files.write(file, new byte[1]);
    assertFails(Errno.ENOTDIR, () -> open(file.resolve("below"), OpenMode.CREATE));
    Path loop = directory.resolve("loop");
    Files.createSymbolicLink(loop, loop);
    assertFails(Errno.ELOOP, () -> open(loop, OpenMode.READ_ONLY));
    assertFails(
        Errno.ENAMETOOLONG, () -> open(directory.resolve("n".repeat(300)), OpenMode.CREATE));
  }

  @Test
  void openingAPipeDoesNotWaitForItsOtherEnd() {
    assertEquals(0, JNR.mkfifo(file.toString(), 0600));
    int descriptor = open(file, OpenMode.READ_ONLY);
    assertFalse(calls.status(descriptor).isRegularFile());
  }

  @Test
  void namesAreUtf8WithAZeroBehindThem() {
    // Not by way of Path: whether that takes these characters depends on the locale.
    for (String name : List.of("", "/a/b", "k\u00e4se\u20ac\ud83d\ude00")) {
      byte[] expected = (name + "\0").getBytes(StandardCharsets.UTF_8);
      assertArrayEquals(expected, NativePaths.encode(name, arena).toArray(ValueLayout.JAVA_BYTE));
    }
  }

  @Test
  void pathsThatTheKernelWouldMisreadAreRefused() throws Exception {
    for (String bad : List.of("a\0b", "\0", "lone surrogate \ud800")) {
      assertThrows(IllegalArgumentException.class, () -> NativePaths.encode(bad, arena));
    }
    Path archive = directory.resolve("a.zip");
    try (FileSystem zip = FileSystems.newFileSystem(archive, Map.of("create", "true"))) {
      Path inside = zip.getPath("/x");
      assertThrows(IllegalArgumentException.class, () -> calls.open(inside, OpenMode.CREATE));
    }
  }

  @Test
  void aClosedDescriptorIsRefusedByEveryCall() {
    for (int descriptor : new int[] {NO_DESCRIPTOR, -1}) {
      MemorySegment buffer = bytes(1);
      assertFails(Errno.EBADF, () -> calls.close(descriptor));
      assertFails(Errno.EBADF, () -> calls.tryLock(descriptor, true));
      assertFails(Errno.EBADF, () -> calls.status(descriptor));
      assertFails(Errno.EBADF, () -> calls.truncate(descriptor, 0));
      assertFails(Errno.EBADF, () -> calls.allocate(descriptor, 0, 1));
      assertFails(Errno.EBADF, () -> calls.read(descriptor, buffer, 0));
      assertFails(Errno.EBADF, () -> calls.write(descriptor, buffer, 0));
      assertFails(Errno.EBADF, () -> calls.flush(descriptor, FlushLevel.FULL));
      assertFails(Errno.EBADF, () -> ((LinuxCalls) calls).fsync(descriptor));
      assertFails(Errno.EBADF, () -> calls.mapShared(descriptor, 4096));
    }
  }

  @Test
  void closeGivesTheDescriptorBack() {
    int descriptor = open(file, OpenMode.CREATE);
    close(descriptor);
    assertEquals(-1, JNR.fcntl(descriptor, Fcntl.F_GETFD));
    assertFails(Errno.EBADF, () -> calls.close(descriptor));
  }

  // flock

  @Test
  void locksExcludeOtherOpensOfTheFile() {
    int first = open(file, OpenMode.CREATE);
    int second = open(file, OpenMode.READ_ONLY);
    assertTrue(calls.tryLock(first, true));
    assertTrue(calls.tryLock(first, true));
    assertFalse(calls.tryLock(second, false));
    assertFalse(calls.tryLock(second, true));
    assertEquals(-1, JNR.flock(second, LOCK_SHARED_NO_WAIT));

    assertTrue(calls.tryLock(first, false));
    assertTrue(calls.tryLock(second, false));
    assertFalse(calls.tryLock(second, true));
    assertFalse(calls.tryLock(first, true) && calls.tryLock(second, false));
    close(first);
    assertTrue(calls.tryLock(second, true));
    assertEquals(0, JNR.flock(second, LOCK_EXCLUSIVE_NO_WAIT));
  }

  @Test
  void closingAnotherDescriptorOfTheFileKeepsTheLock() {
    int first = open(file, OpenMode.CREATE);
    int second = open(file, OpenMode.READ_WRITE);
    assertTrue(calls.tryLock(first, true));
    close(second);
    int third = open(file, OpenMode.READ_WRITE);
    assertFalse(calls.tryLock(third, true));
  }

  // status

  @Test
  void statusSaysWhatJnrSays() throws Exception {
    int descriptor = open(file, OpenMode.CREATE);
    calls.truncate(descriptor, 5_000_000_000L);
    Files.createLink(directory.resolve("second"), file);
    FileStat expected = JNR.fstat(descriptor);
    FileStatus status = calls.status(descriptor);
    assertEquals(
        new FileStatus(expected.st_size(), expected.dev(), expected.ino(), expected.nlink(), true),
        status);
    assertEquals(5_000_000_000L, status.size());
    assertEquals(2, status.linkCount());
    assertEquals(status, calls.status(file));
    assertTrue(status.isSameFile(calls.status(directory.resolve("second"))));
    assertFalse(status.isSameFile(calls.status(directory)));
  }

  @Test
  void statusKnowsWhatIsNoFile() throws Exception {
    for (Path path : List.of(directory, Path.of("/dev/null"))) {
      FileStat expected = JNR.stat(path.toString());
      FileStatus status = calls.status(path);
      assertFalse(status.isRegularFile());
      assertEquals(expected.dev(), status.device());
      assertEquals(expected.ino(), status.inode());
    }
    Path link = directory.resolve("link");
    Files.createSymbolicLink(link, file);
    assertNull(calls.status(link));
    Files.write(file, new byte[3]);
    assertEquals(3, calls.status(link).size());
    assertTrue(calls.status(link).isRegularFile());
  }

  @Test
  void statusOfAMissingNameIsNullAndOtherTroubleIsNot() throws Exception {
    assertNull(calls.status(file));
    assertNull(calls.status(file.resolve("below")));
    Files.write(file, new byte[1]);
    assertFails(Errno.ENOTDIR, () -> calls.status(file.resolve("below")));
  }

  // truncate, allocate

  @Test
  void truncateCutsAndLeavesHoles() {
    int descriptor = open(file, OpenMode.CREATE);
    calls.write(descriptor, bytes(1, 2, 3, 4), 0);
    calls.truncate(descriptor, 2);
    assertEquals(2, JNR.fstat(descriptor).st_size());
    calls.truncate(descriptor, 1 << 20);
    FileStat stat = JNR.fstat(descriptor);
    assertEquals(1 << 20, stat.st_size());
    assertTrue(stat.blocks() * 512 < 1 << 20);
    MemorySegment buffer = arena.allocate(4);
    assertEquals(4, calls.read(descriptor, buffer, 0));
    assertEquals(-1, buffer.mismatch(bytes(1, 2, 0, 0)));
    NativeCallException e = assertFails(Errno.EINVAL, () -> calls.truncate(descriptor, -1));
    assertEquals("descriptor " + descriptor + ", to -1 bytes", e.subject());
    int reader = open(file, OpenMode.READ_ONLY);
    assertFails(Errno.EINVAL, () -> calls.truncate(reader, 0));
  }

  @Test
  void allocateMakesBlocksAndKeepsBytes() {
    int descriptor = open(file, OpenMode.CREATE);
    calls.write(descriptor, bytes(1, 2, 3, 4), 0);
    calls.allocate(descriptor, 0, 1 << 20);
    FileStat stat = JNR.fstat(descriptor);
    assertEquals(1 << 20, stat.st_size());
    assertTrue(stat.blocks() * 512 >= 1 << 20);
    MemorySegment buffer = arena.allocate(6);
    assertEquals(6, calls.read(descriptor, buffer, 0));
    assertEquals(-1, buffer.mismatch(bytes(1, 2, 3, 4, 0, 0)));
    calls.allocate(descriptor, 0, 10);
    assertEquals(1 << 20, JNR.fstat(descriptor).st_size());
    assertFails(Errno.EINVAL, () -> calls.allocate(descriptor, 0, 0));
    assertFails(Errno.EINVAL, () -> calls.allocate(descriptor, -1, 10));
    assertFails(Errno.EFBIG, () -> calls.allocate(descriptor, 0, Long.MAX_VALUE));
  }

  // read, write

  @Test
  void whatIsWrittenIsRead() throws Exception {
    int descriptor = open(file, OpenMode.CREATE);
    calls.write(descriptor, bytes(1, 2, 3), 5_000_000_000L);
    MemorySegment buffer = arena.allocate(3);
    assertEquals(3, calls.read(descriptor, buffer, 5_000_000_000L));
    assertEquals(-1, buffer.mismatch(bytes(1, 2, 3)));
    assertEquals(2, calls.read(descriptor, buffer, 5_000_000_001L));
    assertEquals(0, calls.read(descriptor, buffer, 5_000_000_003L));
    assertEquals(0, calls.read(descriptor, MemorySegment.NULL, 0));
    calls.write(descriptor, MemorySegment.NULL, 0);
    ByteBuffer second = ByteBuffer.allocateDirect(3);
    JNR.lseekLong(descriptor, 5_000_000_000L, 0);
    assertEquals(3, JNR.read(descriptor, second, 3));
    assertEquals(1, second.get(0));
    assertEquals(3, second.get(2));
  }

  @Test
  void readAndWriteFailWithTheKernelsReason() {
    int descriptor = open(file, OpenMode.CREATE);
    int reader = open(file, OpenMode.READ_ONLY);
    MemorySegment buffer = bytes(1, 2, 3);
    assertFails(Errno.EINVAL, () -> calls.read(descriptor, buffer, -1));
    assertFails(Errno.EINVAL, () -> calls.write(descriptor, buffer, -1));
    NativeCallException e = assertFails(Errno.EBADF, () -> calls.write(reader, buffer, 7));
    assertEquals("pwrite", e.call());
    assertEquals("descriptor " + reader + ", offset 7, 3 bytes", e.subject());
    int folder = open(directory, OpenMode.READ_ONLY);
    assertFails(Errno.EISDIR, () -> calls.read(folder, buffer, 0));
    MemorySegment nowhere = MemorySegment.ofAddress(4096).reinterpret(8);
    assertFails(Errno.EFAULT, () -> calls.write(descriptor, nowhere, 0));
    int full = open(Path.of("/dev/full"), OpenMode.READ_WRITE);
    assertTrue(assertFails(Errno.ENOSPC, () -> calls.write(full, buffer, 0)).isOutOfSpace());
  }

  @Test
  void onlyBuffersThatTheKernelCanUseAreTaken() {
    int descriptor = open(file, OpenMode.CREATE);
    MemorySegment heap = MemorySegment.ofArray(new byte[3]);
    assertThrows(IllegalArgumentException.class, () -> calls.write(descriptor, heap, 0));
    assertThrows(IllegalArgumentException.class, () -> calls.read(descriptor, heap, 0));
    MemorySegment readOnly = bytes(1).asReadOnly();
    calls.write(descriptor, readOnly, 0);
    assertThrows(IllegalArgumentException.class, () -> calls.read(descriptor, readOnly, 0));
    Arena closed = Arena.ofConfined();
    MemorySegment gone = closed.allocate(1);
    closed.close();
    assertThrows(IllegalStateException.class, () -> calls.write(descriptor, gone, 0));
  }

  // flush, syncDirectory, names

  @Test
  void syncsSucceedOnFilesAndDirectories() {
    int descriptor = open(file, OpenMode.CREATE);
    calls.write(descriptor, bytes(1), 0);
    for (FlushLevel level : FlushLevel.values()) {
      assertTrue(calls.flush(descriptor, level));
    }
    ((LinuxCalls) calls).fsync(descriptor);
    calls.syncDirectory(directory);
    assertFails(Errno.ENOTDIR, () -> calls.syncDirectory(file));
    assertFails(Errno.ENOENT, () -> calls.syncDirectory(directory.resolve("none")));
    int device = open(Path.of("/dev/null"), OpenMode.READ_WRITE);
    assertFails(Errno.EINVAL, () -> calls.flush(device, FlushLevel.FULL));
  }

  @Test
  void linkNeverReplaces() throws Exception {
    Path second = directory.resolve("second");
    NativeCallException e = assertFails(Errno.ENOENT, () -> calls.link(file, second));
    assertEquals(file + " to " + second, e.subject());
    Files.write(file, new byte[] {1});
    calls.link(file, second);
    assertEquals(2, calls.status(second).linkCount());
    assertTrue(calls.status(second).isSameFile(calls.status(file)));
    assertFails(Errno.EEXIST, () -> calls.link(file, second));
  }

  @Test
  void renameReplacesAndUnlinkRemoves() throws Exception {
    Path second = directory.resolve("second");
    assertFails(Errno.ENOENT, () -> calls.rename(file, second));
    Files.write(file, new byte[] {1});
    Files.write(second, new byte[] {2});
    calls.rename(file, second);
    assertFalse(Files.exists(file));
    assertArrayEquals(new byte[] {1}, Files.readAllBytes(second));
    Path folder = Files.createDirectory(directory.resolve("folder"));
    assertFails(Errno.EISDIR, () -> calls.rename(second, folder));
    calls.unlink(second);
    assertFalse(Files.exists(second));
    NativeCallException e = assertFails(Errno.ENOENT, () -> calls.unlink(second));
    assertEquals("unlink", e.call());
  }

  // threads

  @Test
  void eachThreadSeesItsOwnErrno() throws Exception {
    int threads = 8;
    int descriptor = open(file, OpenMode.CREATE);
    MemorySegment buffer = bytes(1);
    List<Callable<Void>> tasks = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int kind = i % 4;
      tasks.add(
          () -> {
            for (int n = 0; n < 3000; n++) {
              switch (kind) {
                case 0 -> assertFails(Errno.EBADF, () -> calls.truncate(NO_DESCRIPTOR, 0));
                case 1 -> assertFails(Errno.EINVAL, () -> calls.read(descriptor, buffer, -1));
                case 2 -> assertFails(Errno.ENOENT, () -> calls.unlink(directory.resolve("no")));
                default -> assertEquals(0, calls.read(descriptor, buffer, 10));
              }
            }
            return null;
          });
    }
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      for (Future<Void> future : pool.invokeAll(tasks)) {
        future.get();
      }
    }
  }

  @Test
  void errnoSlotsAreNeverShared() {
    List<ErrnoSlots.Slot> claimed = new ArrayList<>();
    for (int i = 0; i < 3 * ErrnoSlots.KEPT; i++) {
      ErrnoSlots.Slot slot = ErrnoSlots.claim();
      slot.segment().fill((byte) i);
      claimed.add(slot);
    }
    for (int i = 0; i < claimed.size(); i++) {
      for (long at = 0; at < claimed.get(i).segment().byteSize(); at++) {
        assertEquals((byte) i, claimed.get(i).segment().get(ValueLayout.JAVA_BYTE, at));
      }
    }
    claimed.forEach(ErrnoSlots.Slot::release);
    ErrnoSlots.Slot again = ErrnoSlots.claim();
    assertTrue(claimed.contains(again));
    again.release();
  }

  @Test
  void anInterruptChangesNothing() throws Exception {
    int descriptor = open(file, OpenMode.CREATE);
    AtomicBoolean stop = new AtomicBoolean();
    AtomicReference<Thread> worker = new AtomicReference<>();
    CountDownLatch started = new CountDownLatch(1);
    try (ExecutorService pool = Executors.newSingleThreadExecutor()) {
      Future<Integer> rounds =
          pool.submit(
              () -> {
                worker.set(Thread.currentThread());
                Thread.currentThread().interrupt();
                MemorySegment out = bytes(1, 2, 3);
                MemorySegment in = arena.allocate(3);
                int n = 0;
                while (!stop.get()) {
                  calls.write(descriptor, out, n);
                  assertTrue(calls.tryLock(descriptor, true));
                  assertTrue(calls.flush(descriptor, FlushLevel.FULL));
                  assertEquals(3, calls.read(descriptor, in, n));
                  assertEquals(-1, in.mismatch(out));
                  assertTrue(Thread.currentThread().isInterrupted());
                  n++;
                  started.countDown();
                }
                return n;
              });
      started.await();
      for (int i = 0; i < 500; i++) {
        worker.get().interrupt();
        Thread.onSpinWait();
      }
      stop.set(true);
      assertTrue(rounds.get() > 0);
    }
    assertEquals(calls.status(file).size(), JNR.fstat(descriptor).st_size());
  }
}
