package dev.kvdb.disk;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.disk.ImageChoice.Data;
import dev.kvdb.disk.ImageChoice.Names;
import dev.kvdb.nativecalls.NativeCallException;
import dev.kvdb.nativecalls.NativeCalls.FlushLevel;
import dev.kvdb.nativecalls.NativeCalls.MappedFile;
import dev.kvdb.nativecalls.NativeCalls.OpenMode;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The model of the simulated disk: what survives, what fails, what is given back. */
class SimulatedDiskTest {
  private static final ImageChoice NOTHING = new ImageChoice(Data.NOTHING, Names.UNDONE, 0);
  private static final ImageChoice NOTHING_BUT_NAMES = new ImageChoice(Data.NOTHING, Names.KEPT, 0);
  private static final ImageChoice EVERYTHING = new ImageChoice(Data.EVERYTHING, Names.KEPT, 0);
  private static final ImageChoice DATA_ONLY = new ImageChoice(Data.EVERYTHING, Names.UNDONE, 0);

  private final SimulatedDisk disk = SimulatedDisk.create();

  @AfterEach
  void closeDisk() {
    disk.close();
  }

  static void write(SimulatedDisk disk, int descriptor, long offset, byte[] bytes) {
    try (Arena arena = Arena.ofConfined()) {
      disk.write(descriptor, arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes), offset);
    }
  }

  static void write(SimulatedDisk disk, int descriptor, long offset, String text) {
    write(disk, descriptor, offset, text.getBytes(US_ASCII));
  }

  static String read(SimulatedDisk disk, int descriptor) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(disk.status(descriptor).size());
      assertEquals(buffer.byteSize(), disk.read(descriptor, buffer, 0));
      return new String(buffer.toArray(ValueLayout.JAVA_BYTE), US_ASCII);
    }
  }

  static String text(CrashImage image, String name) {
    byte[] content = image.content(name);
    return content == null ? null : new String(content, US_ASCII).replace('\0', '.');
  }

  static byte[] filled(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  private CrashImage cut(ImageChoice choice) {
    return disk.cut(disk.operationCount(), choice);
  }

  private Set<String> allOutcomes(String name, Data data, Names names) {
    Set<String> outcomes = new HashSet<>();
    for (long seed = 0; seed < 300; seed++) {
      outcomes.add(text(cut(new ImageChoice(data, names, seed)), name));
    }
    return outcomes;
  }

  /** A durable, empty file. */
  private int open(String name) {
    int descriptor = disk.open(disk.path(name), OpenMode.CREATE);
    disk.syncDirectory(disk.directory());
    return descriptor;
  }

  @Test
  void unsyncedWriteIsLostOrKept() {
    int file = open("f");
    write(disk, file, 0, "abc");
    assertEquals("", text(cut(NOTHING), "f"));
    assertEquals("abc", text(cut(EVERYTHING), "f"));
    assertEquals("abc", text(cut(new ImageChoice(Data.ONLY_LAST, Names.KEPT, 0)), "f"));
    assertEquals("abc", read(disk, file));
  }

  @Test
  void syncedWriteIsThereInEveryImage() {
    int file = open("f");
    write(disk, file, 0, "abc");
    assertTrue(disk.flush(file, FlushLevel.FSYNC));
    write(disk, file, 3, "def");
    for (ImageChoice choice : ImageChoice.standard(1, 2, 3, 4, 5, 6, 7, 8)) {
      String left = text(cut(choice), "f");
      assertTrue(Set.of("abc", "abc...", "abcdef").contains(left), choice + ": " + left);
    }
  }

  @Test
  void cutBetweenWriteAndFlushTakesTheWrite() {
    int file = open("f");
    write(disk, file, 0, "abc");
    int beforeFlush = disk.operationCount();
    disk.flush(file, FlushLevel.FULL);
    assertEquals("", text(disk.cut(beforeFlush, NOTHING), "f"));
    assertEquals("abc", text(disk.cut(beforeFlush + 1, NOTHING), "f"));
    assertEquals("", text(disk.cut(beforeFlush, NOTHING), "f"), "going back replays");
  }

  @Test
  void flushDoesNotCoverWhatCompletedAfterItBegan() {
    int file = open("f");
    write(disk, file, 0, "abc");
    disk.duringFlush(() -> write(disk, file, 3, "def"));
    disk.flush(file, FlushLevel.FULL);
    assertEquals("abc", text(cut(NOTHING), "f"));
    assertEquals("abcdef", text(cut(EVERYTHING), "f"));
  }

  @Test
  void laterWriteMaySurviveAnEarlierOne() {
    disk.putFile("f", "....".getBytes(US_ASCII));
    int file = disk.open(disk.path("f"), OpenMode.READ_WRITE);
    write(disk, file, 0, "a");
    write(disk, file, 1, "b");
    write(disk, file, 2, "c");
    Set<String> all = Set.of("....", "a...", ".b..", "..c.", "ab..", "a.c.", ".bc.", "abc.");
    assertEquals(all, allOutcomes("f", Data.SUBSET, Names.KEPT));
    assertEquals(Set.of("....", "a...", "ab..", "abc."), allOutcomes("f", Data.PREFIX, Names.KEPT));
    assertEquals(
        Set.of(".b..", "..c.", "a.c.", ".bc."), allOutcomes("f", Data.REORDER, Names.KEPT));
    assertEquals(Set.of(".bc.", "a.c.", "ab.."), allOutcomes("f", Data.ALL_BUT_ONE, Names.KEPT));
    assertEquals(Set.of("..c."), allOutcomes("f", Data.ONLY_LAST, Names.KEPT));
  }

  @Test
  void overlappingWritesLeaveEitherOrNeither() {
    disk.putFile("f", ".".getBytes(US_ASCII));
    int file = disk.open(disk.path("f"), OpenMode.READ_WRITE);
    write(disk, file, 0, "a");
    write(disk, file, 0, "b");
    assertEquals(Set.of(".", "a", "b"), allOutcomes("f", Data.SUBSET, Names.KEPT));
  }

  @Test
  void tornWriteIsTornAtSectors() {
    disk.putFile("f", filled(2048, 'o'));
    int file = disk.open(disk.path("f"), OpenMode.READ_WRITE);
    write(disk, file, 100, filled(1500, 'n'));
    Set<String> patterns = new HashSet<>();
    for (long seed = 0; seed < 300; seed++) {
      byte[] left = cut(new ImageChoice(Data.TORN, Names.KEPT, seed)).content("f");
      StringBuilder pattern = new StringBuilder();
      for (int sector = 0; sector < 4; sector++) {
        int from = Math.max(100, sector * 512);
        int to = Math.min(1600, sector * 512 + 512);
        pattern.append((char) left[from]);
        assertArrayEquals(filled(to - from, left[from]), Arrays.copyOfRange(left, from, to));
      }
      patterns.add(pattern.toString());
      assertArrayEquals(filled(100, 'o'), Arrays.copyOf(left, 100));
    }
    assertEquals(16, patterns.size(), "every set of four sectors: " + patterns);
  }

  @Test
  void equalChoicesMakeEqualImages() {
    int file = open("f");
    for (int i = 0; i < 20; i++) {
      write(disk, file, i * 700L, filled(700, 'a' + i));
    }
    ImageChoice choice = new ImageChoice(Data.TORN, Names.RANDOM, 42);
    assertArrayEquals(cut(choice).content("f"), cut(choice).content("f"));
    assertEquals(cut(choice).decisions(), cut(choice).decisions());
  }

  @Test
  void bytesAndLengthSurviveApart() {
    int file = open("f");
    write(disk, file, 0, "ab");
    write(disk, file, 2, "cd");
    assertEquals(
        Set.of("", "..", "ab", "....", "ab..", "..cd", "abcd"),
        allOutcomes("f", Data.SUBSET, Names.KEPT));
  }

  @Test
  void allocatedBlocksReadAsZerosAndMayBeLost() {
    int file = open("f");
    disk.allocate(file, 0, 4);
    assertEquals(4, disk.status(file).size());
    write(disk, file, 0, "abcd");
    assertEquals(Set.of("", "....", "abcd"), allOutcomes("f", Data.SUBSET, Names.KEPT));
    disk.flush(file, FlushLevel.FULL);
    assertEquals(Set.of("abcd"), allOutcomes("f", Data.SUBSET, Names.KEPT));
  }

  @Test
  void truncationMayBeLostAndClearsWhereItIsKept() {
    disk.putFile("f", "abcdef".getBytes(US_ASCII));
    int file = disk.open(disk.path("f"), OpenMode.READ_WRITE);
    disk.truncate(file, 2);
    disk.allocate(file, 0, 4);
    assertEquals("ab\0\0", read(disk, file));
    assertEquals(Set.of("abcdef", "ab", "ab..", "abcd"), allOutcomes("f", Data.SUBSET, Names.KEPT));
    disk.flush(file, FlushLevel.FULL);
    assertEquals("ab..", text(cut(NOTHING), "f"));
  }

  @Test
  void truncationClearsBytesWhoseLengthWasLost() {
    int file = open("f");
    write(disk, file, 0, "abcd");
    disk.truncate(file, 2);
    disk.allocate(file, 0, 4);
    disk.flush(file, FlushLevel.FULL);
    assertEquals("ab..", text(cut(NOTHING), "f"));
  }

  @Test
  void nameIsUndoneUnlessItsDirectoryWasSynced() {
    int file = disk.open(disk.path("f"), OpenMode.CREATE);
    write(disk, file, 0, "abc");
    disk.flush(file, FlushLevel.FULL);
    assertNull(text(cut(NOTHING), "f"), "a flush does not make the name durable");
    assertNull(text(cut(DATA_ONLY), "f"));
    assertEquals("abc", text(cut(NOTHING_BUT_NAMES), "f"));
    disk.syncDirectory(disk.directory());
    assertEquals("abc", text(cut(NOTHING), "f"));
  }

  @Test
  void syncedNameOfAnUnsyncedFileIsEmpty() {
    int file = open("f");
    write(disk, file, 0, "abc");
    assertEquals("", text(cut(NOTHING), "f"));
  }

  @Test
  void linkAndUnlinkSurviveIndependently() {
    int file = open("temporary");
    write(disk, file, 0, "abc");
    disk.flush(file, FlushLevel.FULL);
    disk.link(disk.path("temporary"), disk.path("f"));
    assertEquals(2, disk.status(file).linkCount());
    disk.unlink(disk.path("temporary"));
    assertEquals(1, disk.status(file).linkCount());
    Set<Set<String>> outcomes = new HashSet<>();
    for (long seed = 0; seed < 100; seed++) {
      outcomes.add(cut(new ImageChoice(Data.NOTHING, Names.RANDOM, seed)).names());
    }
    assertEquals(
        Set.of(Set.of("temporary"), Set.of("temporary", "f"), Set.of("f"), Set.of()), outcomes);
    CrashImage both = disk.cut(disk.operationCount() - 1, EVERYTHING);
    assertTrue(both.sameFile("temporary", "f"));
    try (SimulatedDisk next = SimulatedDisk.from(both)) {
      assertEquals(2, next.status(next.path("f")).linkCount());
      assertTrue(next.status(next.path("f")).isSameFile(next.status(next.path("temporary"))));
    }
  }

  @Test
  void renameReplacesOrNotButNeverLosesBothNames() {
    disk.putFile("new", "n".getBytes(US_ASCII));
    disk.putFile("f", "o".getBytes(US_ASCII));
    disk.rename(disk.path("new"), disk.path("f"));
    Set<String> outcomes = new HashSet<>();
    for (long seed = 0; seed < 100; seed++) {
      CrashImage image = cut(new ImageChoice(Data.NOTHING, Names.RANDOM, seed));
      outcomes.add(text(image, "f") + text(image, "new"));
    }
    assertEquals(Set.of("on", "nn", "nnull"), outcomes);
    disk.syncDirectory(disk.directory());
    assertEquals(Set.of("f"), cut(NOTHING).names());
    assertEquals("n", text(cut(NOTHING), "f"));
  }

  @Test
  void renameOfOneNameOfAFileToItsOtherDoesNothing() {
    disk.putFile("a", "x".getBytes(US_ASCII));
    disk.link(disk.path("a"), disk.path("b"));
    disk.rename(disk.path("a"), disk.path("b"));
    assertEquals(Set.of("a", "b"), cut(EVERYTHING).names());
    assertTrue(Files.exists(disk.path("a")));
  }

  @Test
  void directoriesAreSyncedApart() {
    disk.makeDirectory("sub");
    disk.open(disk.path("f"), OpenMode.CREATE);
    disk.open(disk.path("sub/g"), OpenMode.CREATE);
    disk.syncDirectory(disk.path("sub"));
    assertEquals(Set.of("sub/g"), cut(NOTHING).names());
    try (SimulatedDisk next = SimulatedDisk.from(cut(NOTHING))) {
      assertEquals(0, next.status(next.path("sub/g")).size());
    }
  }

  @Test
  void unlinkedFileComesBackWithItsBytes() {
    disk.putFile("f", "abc".getBytes(US_ASCII));
    disk.unlink(disk.path("f"));
    disk.open(disk.path("f"), OpenMode.CREATE);
    assertEquals(
        new HashSet<>(Arrays.asList("abc", "", null)),
        allOutcomes("f", Data.NOTHING, Names.RANDOM));
  }

  @Test
  void killKeepsAndALaterCutTakes() {
    int file = open("f");
    write(disk, file, 0, "abc");
    CrashImage killed = disk.kill(disk.operationCount());
    assertEquals("abc", text(killed, "f"));
    assertEquals(1, killed.pendingChanges());
    try (SimulatedDisk next = SimulatedDisk.from(killed)) {
      int again = next.open(next.path("f"), OpenMode.READ_WRITE);
      assertEquals("abc", read(next, again));
      assertEquals("", text(next.cut(0, NOTHING), "f"));
      assertEquals("abc", text(next.cut(0, EVERYTHING), "f"));
      next.flush(again, FlushLevel.FULL);
      assertEquals("abc", text(next.cut(1, NOTHING), "f"), "a flush after the kill makes it stay");
      assertEquals("", text(next.cut(0, NOTHING), "f"));
    }
    try (SimulatedDisk next = SimulatedDisk.from(killed)) {
      assertEquals(
          "", text(next.cut(0, NOTHING), "f"), "disks of one image do not share their later state");
    }
  }

  @Test
  void killKeepsNamesAndALaterCutTakesThem() {
    disk.open(disk.path("f"), OpenMode.CREATE);
    try (SimulatedDisk next = SimulatedDisk.from(disk.kill(1))) {
      assertEquals(Set.of("f"), next.kill(0).names());
      assertEquals(Set.of(), next.cut(0, NOTHING).names());
      next.syncDirectory(next.directory());
      assertEquals(Set.of("f"), next.cut(1, NOTHING).names());
    }
  }

  @Test
  void killReopenKillReopenCut() {
    int file = open("f");
    write(disk, file, 0, "a");
    try (SimulatedDisk second = SimulatedDisk.from(disk.kill(disk.operationCount()))) {
      write(second, second.open(second.path("f"), OpenMode.READ_WRITE), 1, "b");
      try (SimulatedDisk third = SimulatedDisk.from(second.kill(1))) {
        int again = third.open(third.path("f"), OpenMode.READ_WRITE);
        write(third, again, 2, "c");
        assertEquals("abc", read(third, again));
        assertEquals("", text(third.cut(1, NOTHING), "f"));
        assertEquals(
            "..c", text(third.cut(1, new ImageChoice(Data.ONLY_LAST, Names.KEPT, 0)), "f"));
        third.flush(again, FlushLevel.FULL);
        assertEquals("abc", text(third.cut(2, NOTHING), "f"));
      }
    }
  }

  @Test
  void whatAPowerCutLeftIsDurable() {
    int file = open("f");
    write(disk, file, 0, "abc");
    CrashImage image = cut(EVERYTHING);
    assertEquals(0, image.pendingChanges());
    try (SimulatedDisk next = SimulatedDisk.from(image)) {
      assertEquals("abc", text(next.cut(0, NOTHING), "f"));
    }
  }

  @Test
  void mappedStoreIsAWrite() {
    int file = open("f");
    disk.allocate(file, 0, 8);
    disk.flush(file, FlushLevel.FULL);
    MappedFile mapped = disk.mapShared(file, 8);
    mapped.store(2, "xabcx".getBytes(US_ASCII), 1, 3);
    assertEquals("\0\0abc\0\0\0", read(disk, file));
    assertEquals("..abc...", text(disk.kill(disk.operationCount()), "f"));
    assertEquals("........", text(cut(NOTHING), "f"));
    mapped.sync(0, 8);
    assertEquals("........", text(cut(NOTHING), "f"), "handing over makes nothing durable");
    disk.flush(file, FlushLevel.FULL);
    assertEquals("..abc...", text(cut(NOTHING), "f"));
    assertThrows(IndexOutOfBoundsException.class, () -> mapped.store(6, new byte[3], 0, 3));
    mapped.close();
  }

  @Test
  void onDarwinOnlyFullFlushesOfHandedOverStoresCount() {
    try (SimulatedDisk darwin = SimulatedDisk.create(Drive.DARWIN)) {
      darwin.putFile("f", "....".getBytes(US_ASCII));
      int file = darwin.open(darwin.path("f"), OpenMode.READ_WRITE);
      MappedFile mapped = darwin.mapShared(file, 4);
      write(darwin, file, 0, "a");
      mapped.store(1, new byte[] {'b'}, 0, 1);
      assertFalse(darwin.flush(file, FlushLevel.FSYNC));
      assertFalse(darwin.flush(file, FlushLevel.BARRIER));
      assertEquals("....", text(darwin.cut(darwin.operationCount(), NOTHING), "f"));
      assertTrue(darwin.flush(file, FlushLevel.FULL));
      assertEquals("a...", text(darwin.cut(darwin.operationCount(), NOTHING), "f"));
      mapped.sync(1, 1);
      assertTrue(darwin.flush(file, FlushLevel.FULL));
      assertEquals("ab..", text(darwin.cut(darwin.operationCount(), NOTHING), "f"));
    }
  }

  @Test
  void windowShowsTheFile() {
    int pageSize = disk.systemPageSize();
    int file = open("f");
    write(disk, file, 0, "abc");
    long address = disk.reserve(4L * pageSize);
    disk.mapFile(address, 2L * pageSize, file, 0);
    MemorySegment window = MemorySegment.ofAddress(address).reinterpret(pageSize);
    assertEquals('b', window.get(ValueLayout.JAVA_BYTE, 1));
    write(disk, file, 1, "X");
    assertEquals('X', window.get(ValueLayout.JAVA_BYTE, 1));
    assertEquals(4L * pageSize, disk.mappedBytes());
    disk.unmap(address, pageSize);
    assertEquals(3L * pageSize, disk.mappedBytes());
    assertThrows(IllegalStateException.class, () -> disk.unmap(address, pageSize));
  }

  @Test
  void locksAreThoseOfTheRealFile() {
    int first = open("f");
    int second = disk.open(disk.path("f"), OpenMode.READ_WRITE);
    assertTrue(disk.tryLock(first, true));
    assertFalse(disk.tryLock(second, true));
    disk.close(first);
    assertTrue(disk.tryLock(second, true));
  }

  @Test
  void marksBelongToCutPoints() {
    int file = open("f");
    disk.mark("before");
    write(disk, file, 0, "a");
    disk.mark("after");
    int end = disk.operationCount();
    assertEquals(List.of("before"), disk.marksBefore(end - 1));
    assertEquals(List.of("before", "after"), disk.marksBefore(end));
    assertEquals(List.of(), disk.marksBefore(0));
  }

  @Test
  void realErrorsAreReportedAndNotRecorded() {
    assertEquals(
        "ENOENT",
        assertThrows(
                NativeCallException.class, () -> disk.open(disk.path("f"), OpenMode.READ_WRITE))
            .errnoName());
    disk.putFile("f", new byte[1]);
    disk.putFile("g", new byte[1]);
    assertEquals(
        "EEXIST",
        assertThrows(NativeCallException.class, () -> disk.link(disk.path("f"), disk.path("g")))
            .errnoName());
    int readOnly = disk.open(disk.path("f"), OpenMode.READ_ONLY);
    assertThrows(NativeCallException.class, () -> write(disk, readOnly, 0, "a"));
    assertThrows(NativeCallException.class, () -> disk.status(999_999));
    assertThrows(
        IllegalArgumentException.class,
        () -> disk.open(Path.of("/elsewhere/f"), OpenMode.READ_ONLY));
    assertEquals(2, disk.operationCount());
  }

  @Test
  void closeGivesEverythingBack() {
    SimulatedDisk other = SimulatedDisk.create();
    int file = other.open(other.path("f"), OpenMode.CREATE);
    other.allocate(file, 0, 4096);
    other.mapShared(file, 4096);
    other.reserve(1 << 20);
    assertEquals(1, other.openDescriptors());
    assertEquals((1 << 20) + 4096, other.mappedBytes());
    other.close();
    assertEquals(0, other.openDescriptors());
    assertEquals(0, other.mappedBytes());
    assertFalse(Files.exists(other.directory()));
    assertThrows(IllegalStateException.class, () -> other.open(other.path("f"), OpenMode.CREATE));
    other.close();
  }

  /** Random calls on three files: what all of them leave is what the real files hold. */
  @Test
  void modelAgreesWithTheRealFiles() throws IOException {
    for (long seed = 0; seed < 40; seed++) {
      try (SimulatedDisk other = SimulatedDisk.create()) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 60; i++) {
          randomCall(other, random);
        }
        for (int stage = 0; stage < 3; stage++) {
          int point = stage == 0 ? other.operationCount() : random.nextInt(other.operationCount());
          CrashImage killed = other.kill(point);
          CrashImage all = other.cut(point, EVERYTHING);
          assertEquals(killed.names(), all.names(), "seed " + seed);
          try (SimulatedDisk next = SimulatedDisk.from(killed)) {
            Path real = stage == 0 ? other.directory() : next.directory();
            for (String name : killed.names()) {
              byte[] content = Files.readAllBytes(real.resolve(name));
              assertArrayEquals(killed.content(name), content, "seed " + seed + " " + name);
              assertArrayEquals(all.content(name), content, "seed " + seed + " " + name);
            }
            try (Stream<Path> files = Files.list(real)) {
              assertEquals(killed.names().size(), files.count(), "seed " + seed);
            }
          }
        }
      }
    }
  }

  private static void randomCall(SimulatedDisk disk, SplittableRandom random) {
    Path path = disk.path("f" + random.nextInt(3));
    Path otherPath = disk.path("f" + random.nextInt(3));
    boolean exists = disk.status(path) != null;
    switch (random.nextInt(exists ? 10 : 1)) {
      case 1 -> disk.unlink(path);
      case 2 -> disk.rename(path, otherPath);
      case 3 -> {
        if (disk.status(otherPath) == null) {
          disk.link(path, otherPath);
        }
      }
      case 4 -> disk.syncDirectory(disk.directory());
      default -> {
        int file = disk.open(path, OpenMode.CREATE);
        long size = disk.status(file).size();
        switch (random.nextInt(5)) {
          case 0 -> disk.truncate(file, random.nextInt(20_000));
          case 1 -> disk.allocate(file, random.nextInt(10_000), 1 + random.nextInt(10_000));
          case 2 -> disk.flush(file, FlushLevel.FULL);
          case 3 -> {
            if (size > 0) {
              MappedFile mapped = disk.mapShared(file, size);
              int length = 1 + random.nextInt((int) Math.min(size, 5000));
              byte[] bytes = filled(length, random.nextInt());
              mapped.store(random.nextLong(size - length + 1), bytes, 0, length);
              mapped.close();
            }
          }
          default ->
              write(
                  disk,
                  file,
                  random.nextInt(12_000),
                  filled(1 + random.nextInt(9000), random.nextInt()));
        }
        disk.close(file);
      }
    }
  }

  /** Threads that write and flush: whatever was marked after its flush is in every image. */
  @Test
  void manyThreads() throws InterruptedException {
    int threads = 4;
    int rounds = 50;
    disk.putFile("f", new byte[threads * rounds]);
    int file = disk.open(disk.path("f"), OpenMode.READ_WRITE);
    MappedFile mapped = disk.mapShared(file, (long) threads * rounds);
    List<Thread> running = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      int first = t * rounds;
      running.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int i = first; i < first + rounds; i++) {
                      if (i % 2 == 0) {
                        write(disk, file, i, "x");
                      } else {
                        mapped.store(i, new byte[] {'x'}, 0, 1);
                      }
                      disk.flush(file, FlushLevel.FULL);
                      disk.mark(i);
                    }
                  }));
    }
    for (Thread thread : running) {
      thread.join();
    }
    mapped.close();
    assertEquals(1 + 2 * threads * rounds, disk.operationCount());
    assertEquals(threads * rounds, disk.marks().size());
    for (int point = 1; point <= disk.operationCount(); point++) {
      byte[] left = disk.cut(point, NOTHING).content("f");
      for (Object mark : disk.marksBefore(point)) {
        assertEquals('x', left[(Integer) mark], "cut after " + point);
      }
    }
  }
}
