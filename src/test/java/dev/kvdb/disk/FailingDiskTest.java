package dev.kvdb.disk;

import static dev.kvdb.disk.SimulatedDiskTest.filled;
import static dev.kvdb.disk.SimulatedDiskTest.read;
import static dev.kvdb.disk.SimulatedDiskTest.text;
import static dev.kvdb.disk.SimulatedDiskTest.write;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.disk.ImageChoice.Data;
import dev.kvdb.disk.ImageChoice.Names;
import dev.kvdb.nativecalls.NativeCallException;
import dev.kvdb.nativecalls.NativeCalls.FlushLevel;
import dev.kvdb.nativecalls.NativeCalls.MappedFile;
import dev.kvdb.nativecalls.NativeCalls.OpenMode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls of the simulated disk that fail: planned, on a full disk, on a stopped one. */
class FailingDiskTest {
  private static final ImageChoice NOTHING = new ImageChoice(Data.NOTHING, Names.UNDONE, 0);
  private static final ImageChoice EVERYTHING = new ImageChoice(Data.EVERYTHING, Names.KEPT, 0);

  private final SimulatedDisk disk = SimulatedDisk.create();

  @AfterEach
  void closeDisk() {
    disk.close();
  }

  private CrashImage cut(ImageChoice choice) {
    return disk.cut(disk.operationCount(), choice);
  }

  /** A durable, empty file. */
  private int open(String name) {
    int descriptor = disk.open(disk.path(name), OpenMode.CREATE);
    disk.syncDirectory(disk.directory());
    return descriptor;
  }

  @Test
  void failedWriteMayHaveWrittenAPart() {
    int file = open("f");
    disk.failCall(2, "EIO", Effect.PARTIAL, Kind.WRITE);
    write(disk, file, 0, "abcd");
    NativeCallException failure =
        assertThrows(NativeCallException.class, () -> write(disk, file, 4, "efgh"));
    assertEquals("EIO", failure.errnoName());
    assertEquals("abcdef", read(disk, file));
    assertEquals("abcdef", text(cut(EVERYTHING), "f"));
    disk.failCall(1, "EDQUOT", Kind.WRITE);
    failure = assertThrows(NativeCallException.class, () -> write(disk, file, 6, "gh"));
    assertTrue(failure.isOutOfSpace());
    write(disk, file, 6, "gh");
    assertEquals("abcdefgh", read(disk, file));
  }

  @Test
  void failedFlushForgetsWhatItShouldHaveWritten() {
    int file = open("f");
    disk.allocate(file, 0, 2);
    disk.flush(file, FlushLevel.FULL);
    write(disk, file, 0, "a");
    disk.failCall(1, "EIO", Kind.FLUSH);
    assertThrows(NativeCallException.class, () -> disk.flush(file, FlushLevel.FULL));
    write(disk, file, 1, "b");
    disk.flush(file, FlushLevel.FULL);
    assertEquals("ab", read(disk, file));
    assertEquals(".b", text(cut(NOTHING), "f"), "no later flush makes it durable");
    assertEquals("ab", text(cut(EVERYTHING), "f"));
    write(disk, file, 0, "a");
    disk.flush(file, FlushLevel.FULL);
    assertEquals("ab", text(cut(NOTHING), "f"));
  }

  @Test
  void forgottenWriteStaysForgottenAfterAKill() {
    disk.putFile("f", "..".getBytes(US_ASCII));
    int file = disk.open(disk.path("f"), OpenMode.READ_WRITE);
    write(disk, file, 0, "a");
    disk.failCall(1, "EIO", Kind.FLUSH);
    assertThrows(NativeCallException.class, () -> disk.flush(file, FlushLevel.FULL));
    try (SimulatedDisk next = SimulatedDisk.from(disk.kill(disk.operationCount()))) {
      int again = next.open(next.path("f"), OpenMode.READ_WRITE);
      assertEquals("a.", read(next, again));
      next.flush(again, FlushLevel.FULL);
      assertEquals("..", text(next.cut(1, NOTHING), "f"));
    }
  }

  @Test
  void failedFlushMayHaveWrittenAPart() {
    disk.putFile("f", "..".getBytes(US_ASCII));
    int file = disk.open(disk.path("f"), OpenMode.READ_WRITE);
    write(disk, file, 0, "a");
    write(disk, file, 1, "b");
    disk.failCall(1, "EIO", Effect.PARTIAL, Kind.FLUSH);
    assertThrows(NativeCallException.class, () -> disk.flush(file, FlushLevel.FULL));
    assertEquals("a.", text(cut(NOTHING), "f"));
  }

  @Test
  void everyKindOfCallFailsWithAndWithoutItsEffect() {
    Consumer<Kind> call =
        kind -> {
          int file = disk.open(disk.path("f"), OpenMode.READ_WRITE);
          try {
            switch (kind) {
              case CREATE -> disk.close(disk.open(disk.path("new"), OpenMode.CREATE));
              case WRITE -> write(disk, file, 0, "abcd");
              case ALLOCATE -> disk.allocate(file, 0, 9000);
              case TRUNCATE -> disk.truncate(file, 1);
              case FLUSH -> disk.flush(file, FlushLevel.FULL);
              case LINK -> disk.link(disk.path("f"), disk.path("linked"));
              case RENAME -> disk.rename(disk.path("linked"), disk.path("renamed"));
              case UNLINK -> disk.unlink(disk.path("renamed"));
              case DIRSYNC -> disk.syncDirectory(disk.directory());
              case OPEN -> disk.close(disk.open(disk.path("f"), OpenMode.READ_ONLY));
              case READ -> read(disk, file);
              case STORE, MSYNC, PUT -> throw new IllegalArgumentException(kind.name());
            }
          } finally {
            disk.close(file);
          }
        };
    disk.putFile("f", "1234".getBytes(US_ASCII));
    for (Kind kind :
        List.of(
            Kind.CREATE,
            Kind.WRITE,
            Kind.ALLOCATE,
            Kind.TRUNCATE,
            Kind.FLUSH,
            Kind.LINK,
            Kind.RENAME,
            Kind.UNLINK,
            Kind.DIRSYNC,
            Kind.READ)) {
      disk.failCall(1, "EIO", Effect.NONE, kind);
      byte[] before = cut(EVERYTHING).content("f");
      Set<String> namesBefore = cut(EVERYTHING).names();
      assertThrows(NativeCallException.class, () -> call.accept(kind), kind.name());
      assertArrayEquals(before, cut(EVERYTHING).content("f"), kind.name());
      assertEquals(namesBefore, cut(EVERYTHING).names(), kind.name());
      if (kind.isRecorded()) {
        assertTrue(disk.operations().getLast().failed(), kind.name());
      }
      disk.failCall(1, "EIO", Effect.WHOLE, kind);
      assertThrows(NativeCallException.class, () -> call.accept(kind), kind.name());
      assertRealFilesAsModelled(kind.name());
    }
    disk.failCall(1, "EMFILE", Kind.OPEN);
    assertThrows(NativeCallException.class, () -> disk.open(disk.path("f"), OpenMode.READ_ONLY));
    assertEquals(0, disk.openDescriptors());
  }

  private void assertRealFilesAsModelled(String message) {
    CrashImage model = cut(EVERYTHING);
    try (var all = Files.list(disk.directory())) {
      Set<String> names = new HashSet<>();
      for (Path path : all.toList()) {
        names.add(path.getFileName().toString());
        assertArrayEquals(
            Files.readAllBytes(path), model.content(path.getFileName().toString()), message);
      }
      assertEquals(names, model.names(), message);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void faultingStore() {
    disk.putFile("f", new byte[4096]);
    int file = disk.open(disk.path("f"), OpenMode.READ_WRITE);
    MappedFile mapped = disk.mapShared(file, 4096);
    disk.failCall(1, "EIO", Effect.PARTIAL, Kind.STORE);
    assertThrows(InternalError.class, () -> mapped.store(0, filled(4, 'a'), 0, 4));
    byte[] left = cut(EVERYTHING).content("f");
    assertArrayEquals(new byte[] {'a', 'a', 0, 0}, Arrays.copyOf(left, 4));
    mapped.store(0, filled(4, 'b'), 0, 4);
    disk.truncate(file, 0);
    assertThrows(InternalError.class, () -> mapped.store(0, filled(4, 'c'), 0, 4));
    mapped.close();
  }

  @Test
  void fullDiskRefusesNewBlocksOnly() {
    int file = open("f");
    disk.allocate(file, 0, 8192);
    disk.truncate(file, 12288);
    MappedFile mapped = disk.mapShared(file, 12288);
    disk.fullDisk(true);
    write(disk, file, 0, filled(8192, 'a'));
    disk.allocate(file, 0, 8192);
    mapped.store(8000, filled(100, 'b'), 0, 100);
    NativeCallException failure =
        assertThrows(NativeCallException.class, () -> write(disk, file, 8000, filled(400, 'c')));
    assertEquals("ENOSPC", failure.errnoName());
    assertTrue(read(disk, file).startsWith("c".repeat(192), 8000), "what had room was written");
    assertThrows(NativeCallException.class, () -> disk.allocate(file, 0, 16384));
    assertThrows(InternalError.class, () -> mapped.store(9000, new byte[1], 0, 1));
    assertThrows(NativeCallException.class, () -> mapped.prefault(8192, 4096));
    disk.fullDisk(false);
    mapped.prefault(8192, 4096);
    disk.fullDisk(true);
    mapped.store(9000, new byte[1], 0, 1);
    mapped.close();
  }

  @Test
  void stoppedDiskRefusesChangesAndGivesBackTheRest() {
    disk.putFile("f", new byte[8]);
    int file = disk.open(disk.path("f"), OpenMode.READ_WRITE);
    MappedFile mapped = disk.mapShared(file, 8);
    long address = disk.reserve(1 << 20);
    disk.stopAfter(1);
    write(disk, file, 0, "a");
    assertThrows(DiskStopped.class, () -> write(disk, file, 0, "b"));
    assertThrows(DiskStopped.class, () -> mapped.store(0, new byte[1], 0, 1));
    assertThrows(DiskStopped.class, () -> disk.flush(file, FlushLevel.FULL));
    assertThrows(DiskStopped.class, () -> disk.allocate(file, 0, 100));
    assertThrows(DiskStopped.class, () -> disk.truncate(file, 0));
    assertThrows(DiskStopped.class, () -> disk.open(disk.path("g"), OpenMode.CREATE));
    assertThrows(DiskStopped.class, () -> disk.syncDirectory(disk.directory()));
    assertThrows(DiskStopped.class, () -> disk.link(disk.path("f"), disk.path("g")));
    assertThrows(DiskStopped.class, () -> disk.unlink(disk.path("f")));
    assertEquals(2, disk.operationCount());
    assertEquals('a', read(disk, file).charAt(0));
    disk.close(disk.open(disk.path("f"), OpenMode.READ_ONLY));
    mapped.close();
    disk.unmap(address, 1 << 20);
    disk.close(file);
    assertEquals(0, disk.openDescriptors());
    assertEquals(0, disk.mappedBytes());
  }
}
