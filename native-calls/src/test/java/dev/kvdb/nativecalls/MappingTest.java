package dev.kvdb.nativecalls;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.nativecalls.NativeCalls.Advice;
import dev.kvdb.nativecalls.NativeCalls.MappedFile;
import dev.kvdb.nativecalls.NativeCalls.OpenMode;
import dev.kvdb.page.Faults;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import jnr.constants.platform.Sysconf;
import jnr.posix.POSIXFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Reserved and mapped address space. */
class MappingTest {
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final long WINDOW_BYTES = 1L << 40;

  private final NativeCalls calls = NativeCalls.system();
  private final int page = calls.systemPageSize();

  @TempDir private Path directory;
  private Path path;
  private int descriptor;

  @BeforeEach
  void createFile() {
    path = directory.resolve("file");
    descriptor = calls.open(path, OpenMode.CREATE);
  }

  @AfterEach
  void closeFile() {
    calls.close(descriptor);
  }

  private void writeByte(int value, long offset) {
    try (Arena arena = Arena.ofConfined()) {
      calls.write(descriptor, arena.allocateFrom(BYTE, (byte) value), offset);
    }
  }

  @Test
  void thePageSizeIsWhatJnrSays() {
    long expected = POSIXFactory.getNativePOSIX().sysconf(Sysconf._SC_PAGESIZE);
    assertEquals(expected, page);
  }

  @Test
  void aWindowBeyondTheEndShowsPagesAsTheFileGrows() {
    long address = calls.reserve(WINDOW_BYTES);
    long frames = 16L * page;
    try (Arena arena = Arena.ofShared()) {
      calls.mapMemory(address, frames);
      calls.mapFile(address + frames, WINDOW_BYTES - frames, descriptor, 0);
      MemorySegment all = MemorySegment.ofAddress(address).reinterpret(WINDOW_BYTES, arena, null);

      for (long at = 0; at < frames; at += page) {
        assertEquals(0, all.get(BYTE, at));
        all.set(BYTE, at, (byte) 7);
      }
      assertEquals(7, all.get(BYTE, frames - page));

      assertFaults(() -> all.get(BYTE, frames));
      calls.allocate(descriptor, 0, page);
      assertEquals(0, all.get(BYTE, frames));
      writeByte(42, 3);
      assertEquals(42, all.get(BYTE, frames + 3));
      writeByte(43, 1L << 30);
      assertEquals(43, all.get(BYTE, frames + (1L << 30)));
      calls.truncate(descriptor, page);
      assertFaults(() -> all.get(BYTE, frames + (1L << 30)));
      assertEquals(42, all.get(BYTE, frames + 3));

      for (Advice advice : Advice.values()) {
        calls.advise(address + 1, page, advice);
        calls.advise(address + frames + 5, page, advice);
      }
      assertEquals(7, all.get(BYTE, 0));
      assertEquals(42, all.get(BYTE, frames + 3));
    }
    calls.unmap(address, WINDOW_BYTES);
  }

  private static byte[] pattern(int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (i * 31 + 1);
    }
    return bytes;
  }

  private interface Access {
    int run();
  }

  private static void assertFaults(Access access) {
    assertThrows(
        InternalError.class,
        () -> {
          access.run();
          Faults.poll();
        });
  }

  @Test
  void mappingOverMappedMemoryGivesZeroesAgain() {
    long address = calls.reserve(2L * page);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment all = MemorySegment.ofAddress(address).reinterpret(2L * page, arena, null);
      calls.mapMemory(address, 2L * page);
      all.fill((byte) 9);
      calls.mapMemory(address, page);
      assertEquals(0, all.get(BYTE, page - 1));
      assertEquals(9, all.get(BYTE, page));
    }
    calls.unmap(address, 2L * page);
  }

  @Test
  void badRangesAreRefused() {
    long address = calls.reserve(4L * page);
    assertFails("mmap", "EINVAL", () -> calls.reserve(0));
    assertFails("mmap", "ENOMEM", () -> calls.reserve(1L << 60));
    assertFails("mmap", "EINVAL", () -> calls.mapMemory(address + 1, page));
    assertFails("mmap", "EINVAL", () -> calls.mapMemory(address, 0));
    assertFails("mmap", "EINVAL", () -> calls.mapFile(address, page, descriptor, 1));
    assertFails("mmap", "EBADF", () -> calls.mapFile(address, page, 99_999, 0));
    assertFails("mmap", "EINVAL", () -> calls.mapShared(descriptor, 0));
    assertFails("munmap", "EINVAL", () -> calls.unmap(address + 1, page));
    calls.unmap(address, 4L * page);
    assertFails("msync", "ENOMEM", () -> calls.msync(address, page));
    NativeCallException e =
        assertFails("madvise", "ENOMEM", () -> calls.advise(address, page, Advice.WILL_NEED));
    assertEquals(
        "memory at 0x" + Long.toHexString(address) + ", " + page + " bytes, WILL_NEED",
        e.subject());
    int reader = calls.open(path, OpenMode.READ_ONLY);
    assertFails("mmap", "EACCES", () -> calls.mapShared(reader, page));
    calls.close(reader);
  }

  private static NativeCallException assertFails(
      String call, String errnoName, Executable executable) {
    NativeCallException e = assertThrows(NativeCallException.class, executable);
    assertEquals(call, e.call());
    assertEquals(errnoName, e.errnoName(), e.getMessage());
    return e;
  }

  @Test
  void storesReachTheFileAndStayInside() throws Exception {
    int size = 2 * page + 10;
    calls.allocate(descriptor, 0, size);
    MappedFile file = calls.mapShared(descriptor, size);
    byte[] source = pattern(100);
    file.store(page - 5, source, 90, 10);
    file.store(size - 1, source, 7, 1);
    file.store(size, source, 0, 0);
    byte[] expected = new byte[size];
    System.arraycopy(source, 90, expected, page - 5, 10);
    expected[size - 1] = source[7];
    assertArrayEquals(expected, Files.readAllBytes(path));

    assertThrows(IndexOutOfBoundsException.class, () -> file.store(size, source, 0, 1));
    assertThrows(IndexOutOfBoundsException.class, () -> file.store(-1, source, 0, 1));
    assertThrows(IndexOutOfBoundsException.class, () -> file.store(size - 1, source, 0, 2));
    assertThrows(IndexOutOfBoundsException.class, () -> file.store(0, source, 99, 2));
    assertThrows(IndexOutOfBoundsException.class, () -> file.store(0, source, -1, 2));
    assertThrows(IndexOutOfBoundsException.class, () -> file.store(0, source, 0, -1));
    assertThrows(IndexOutOfBoundsException.class, () -> file.prefault(size, 1));
    assertThrows(IndexOutOfBoundsException.class, () -> file.sync(-1, 1));
    file.sync(page + 1, 3);
    file.sync(size, 0);
    assertArrayEquals(expected, Files.readAllBytes(path));
    file.close();
    assertThrows(IllegalStateException.class, () -> file.store(0, source, 0, 1));
  }

  @Test
  void prefaultChangesNoByte() throws Exception {
    byte[] contents = pattern(5 * page + 1);
    Files.write(path, contents);
    PosixMappedFile file = (PosixMappedFile) calls.mapShared(descriptor, contents.length);
    file.prefault(0, contents.length);
    file.prefault(3, 0);
    file.prefault(contents.length - 1, 1);
    file.touch(0, contents.length);
    file.touch(contents.length - 1, 1);
    file.sync(0, contents.length);
    assertArrayEquals(contents, Files.readAllBytes(path));
    file.close();
  }

  @Test
  void prefaultMakesBlocksForHoles() {
    int size = 64 * page;
    calls.truncate(descriptor, size);
    MappedFile file = calls.mapShared(descriptor, size);
    file.prefault(0, size);
    file.sync(0, size);
    long blocks = POSIXFactory.getNativePOSIX().fstat(descriptor).blocks();
    assertTrue(blocks * 512 >= size, blocks + " blocks");
    file.close();
  }

  @Test
  void prefaultBeyondTheEndIsAnErrorBothWays() {
    calls.truncate(descriptor, 4L * page);
    PosixMappedFile file = (PosixMappedFile) calls.mapShared(descriptor, 4L * page);
    calls.truncate(descriptor, page);
    file.prefault(0, page);
    assertFails("madvise", "EFAULT", () -> file.prefault(0, 2L * page));
    for (int i = 0; i < 20_000; i++) {
      file.touch(0, page);
    }
    for (int i = 0; i < 100; i++) {
      assertFails("mmap", "EFAULT", () -> file.touch(0, 2L * page));
    }
    file.close();
  }

  /** Appends to a log the way the engine does: what faulted is not acknowledged. */
  private static final class Appender {
    private final MappedFile file;
    private long acknowledged;
    private long faults;

    private Appender(MappedFile file) {
      this.file = file;
    }

    private boolean append(long offset, byte[] record) {
      try {
        file.store(offset, record, 0, record.length);
        Faults.poll();
      } catch (InternalError e) {
        faults++;
        return false;
      }
      acknowledged++;
      return true;
    }
  }

  @Test
  void aStoreBehindACutIsNeverAcknowledged() {
    int size = 16 * page;
    for (int recordLength : new int[] {16, 128, 3000}) {
      for (int warmUp : new int[] {0, 200_000}) {
        calls.allocate(descriptor, 0, size);
        Appender appender = new Appender(calls.mapShared(descriptor, size));
        byte[] record = new byte[recordLength];
        int places = (size - page) / recordLength;
        for (int i = 0; i < warmUp; i++) {
          assertTrue(appender.append(page + (long) (i % places) * recordLength, record));
        }
        assertEquals(warmUp, appender.acknowledged);

        calls.truncate(descriptor, page);
        for (int i = 0; i < 1000; i++) {
          appender.append(page + (long) (i % places) * recordLength, record);
        }
        String what = "records of " + recordLength + " bytes after " + warmUp;
        assertEquals(warmUp, appender.acknowledged, what);
        assertEquals(1000, appender.faults, what);
        assertTrue(appender.append(0, record), what);
        appender.file.close();
      }
    }
  }
}
