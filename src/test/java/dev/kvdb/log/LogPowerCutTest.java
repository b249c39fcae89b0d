package dev.kvdb.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.nativecalls.NativeCallException;
import dev.kvdb.nativecalls.NativeCalls.FlushLevel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/** Random histories with failed writes, checkpoints and reopens, cut at random moments. */
class LogPowerCutTest {
  private final List<Long> lastLsns = new ArrayList<>();

  @Property(tries = 40, shrinking = ShrinkingMode.OFF)
  void aCutLeavesAPrefixWithAllThatWasDurable(@ForAll long seed) throws IOException {
    Path directory = Files.createTempDirectory("kvdb-log");
    try {
      run(new Random(seed), directory);
    } finally {
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  private void run(Random random, Path directory) throws IOException {
    LogFixture f = new LogFixture(directory);
    PowerCutDisk disk = new PowerCutDisk();
    f.calls = disk.calls;
    f.random = random::nextLong;
    long nextSlot = 1;
    long nextLsn = 1;
    for (int open = 0; open < 3; open++) {
      try (Log log = f.open(nextSlot, nextLsn)) {
        history(random, f, disk, log);
        nextSlot = log.nextSlotNumber();
        // The next open begins where a cut that loses much would: LSNs come a second time.
        nextLsn = log.durableLsn() + 1;
      }
    }
  }

  private void history(Random random, LogFixture f, PowerCutDisk disk, Log log) throws IOException {
    LogPosition checkpoint = log.start();
    f.appended.clear();
    lastLsns.clear();
    for (int step = 0; step < 60; step++) {
      switch (random.nextInt(12)) {
        case 0 -> log.sync(log.lastLsn(), FlushLevel.FULL);
        case 1 -> {
          if (log.wantsPrepare()) {
            log.prepareAhead();
          }
        }
        case 2 -> {
          if (random.nextInt(3) == 0) {
            checkpoint = log.position();
            log.raiseDurable(log.lastLsn());
            log.release(checkpoint);
            f.appended.clear();
            lastLsns.clear();
          }
        }
        case 3 -> failedCommit(random, f, disk, log);
        case 4 -> check(random, f, disk, log, checkpoint);
        default -> lastLsns.add(f.commit(log, length(random)));
      }
    }
    check(random, f, disk, log, checkpoint);
  }

  private static int length(Random random) {
    return random.nextInt(8) == 0 ? random.nextInt(20_000) : random.nextInt(900);
  }

  private void failedCommit(Random random, LogFixture f, PowerCutDisk disk, Log log) {
    int length = length(random);
    log.reserve(length);
    LogPosition before = log.position();
    disk.writesToFail = 1;
    try {
      log.append(1_000_000, new byte[length], 0, length);
      throw new AssertionError("the write did not fail");
    } catch (NativeCallException e) {
      assertEquals(before, log.position());
    }
  }

  private void check(
      Random random, LogFixture f, PowerCutDisk disk, Log log, LogPosition checkpoint)
      throws IOException {
    Path place = Files.createTempDirectory(f.pageFile.getParent(), "cut");
    disk.cut(random, place);
    LogFixture after = new LogFixture(place);
    LogReader reader = after.reader(checkpoint);
    List<LogFixture.Commit> found = LogFixture.read(reader);
    assertEquals(f.appended.subList(0, Math.min(found.size(), f.appended.size())), found);
    int durable = 0;
    while (durable < lastLsns.size() && lastLsns.get(durable) <= log.durableLsn()) {
      durable++;
    }
    assertTrue(found.size() >= durable, found.size() + " commits left of " + durable);
    assertTrue(reader.summary().unbroken());
  }
}
