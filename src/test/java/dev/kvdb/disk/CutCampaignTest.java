package dev.kvdb.disk;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.disk.CutCampaign.Checker;
import dev.kvdb.disk.CutCampaign.Interruption;
import dev.kvdb.disk.CutCampaign.Program;
import dev.kvdb.disk.CutCampaign.Report;
import dev.kvdb.nativecalls.NativeCallException;
import dev.kvdb.nativecalls.NativeCalls.FlushLevel;
import dev.kvdb.nativecalls.NativeCalls.OpenMode;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Campaigns find the planted bug, and nothing in the program without it. */
class CutCampaignTest {
  /** Which step of the toy is left out. */
  private enum Bug {
    NONE,
    NO_FLUSH_BEFORE_RENAME,
    NO_DIRECTORY_SYNC,
    ACKNOWLEDGED_BEFORE_FLUSH,
    LEAVES_DESCRIPTOR_OPEN,
    REOPEN_TRUSTS_PAGE_CACHE
  }

  /** A value came back from a call that promises it survives a power cut. */
  private record Acknowledged(int value) {}

  /**
   * A toy that keeps one number. A value is written to a new file, which then replaces the old one;
   * the number is trusted only with its complement behind it.
   */
  private static void set(SimulatedDisk disk, int value, Bug bug) {
    int file = disk.open(disk.path("new"), OpenMode.CREATE);
    try {
      SimulatedDiskTest.write(disk, file, 0, encode(value));
      if (bug == Bug.ACKNOWLEDGED_BEFORE_FLUSH) {
        disk.mark(new Acknowledged(value));
      }
      if (bug != Bug.NO_FLUSH_BEFORE_RENAME) {
        disk.flush(file, FlushLevel.FULL);
      }
    } finally {
      if (bug != Bug.LEAVES_DESCRIPTOR_OPEN) {
        disk.close(file);
      }
    }
    disk.rename(disk.path("new"), disk.path("value"));
    if (bug != Bug.NO_DIRECTORY_SYNC) {
      disk.syncDirectory(disk.directory());
    }
    if (bug != Bug.ACKNOWLEDGED_BEFORE_FLUSH) {
      disk.mark(new Acknowledged(value));
    }
  }

  private static byte[] encode(int value) {
    // Far apart, so that a torn write can keep one without the other.
    byte[] bytes = new byte[1024];
    byte[] digits = String.format("%04d", value).getBytes(US_ASCII);
    System.arraycopy(digits, 0, bytes, 0, 4);
    System.arraycopy(digits, 0, bytes, 1020, 4);
    return bytes;
  }

  private static int get(SimulatedDisk disk) {
    if (disk.status(disk.path("value")) == null) {
      return 0;
    }
    int file = disk.open(disk.path("value"), OpenMode.READ_ONLY);
    try {
      String text = SimulatedDiskTest.read(disk, file);
      assertEquals(1024, text.length(), "length of the file");
      assertEquals(text.substring(0, 4), text.substring(1020), "both copies");
      return Integer.parseInt(text.substring(0, 4));
    } finally {
      disk.close(file);
    }
  }

  private static Program setting(Bug bug) {
    return disk -> {
      for (int value = 1; value <= 3; value++) {
        set(disk, value, bug);
      }
    };
  }

  /** Removes what a killed predecessor left half done, tells what is there, and goes on. */
  private static Program settingMore(Bug bug) {
    return disk -> {
      if (bug != Bug.REOPEN_TRUSTS_PAGE_CACHE) {
        disk.syncDirectory(disk.directory());
      }
      if (disk.status(disk.path("new")) != null) {
        disk.unlink(disk.path("new"));
        disk.syncDirectory(disk.directory());
      }
      int found = get(disk);
      disk.mark(new Acknowledged(found));
      set(disk, found + 1, Bug.NONE);
    };
  }

  private static int lastAcknowledged(List<Object> marks) {
    return marks.stream()
        .filter(Acknowledged.class::isInstance)
        .mapToInt(mark -> ((Acknowledged) mark).value())
        .max()
        .orElse(0);
  }

  private static final Checker NOTHING_LOST =
      (disk, marks) -> {
        int value = get(disk);
        int acknowledged = lastAcknowledged(marks);
        assertTrue(value == acknowledged || value == acknowledged + 1, value + " after " + marks);
      };

  private static String failureOf(Bug bug) {
    return assertThrows(
            AssertionError.class, () -> CutCampaign.standard().cut(setting(bug), NOTHING_LOST))
        .getMessage();
  }

  @Test
  void correctProgramPasses() {
    Report report = CutCampaign.standard().cut(setting(Bug.NONE), NOTHING_LOST);
    assertEquals(15, report.operations());
    assertEquals(16, report.cuts());
    assertEquals(16 * ImageChoice.standard(1, 2).size(), report.images() + report.duplicates());
    assertTrue(report.images() > 32, report.toString());
  }

  @Test
  void missingFlushIsFoundAndDescribed() {
    String message = failureOf(Bug.NO_FLUSH_BEFORE_RENAME);
    assertTrue(message.contains("power cut after 3 of 12 operations (last #2 RENAME"), message);
    assertTrue(message.contains("seed="), message);
    assertTrue(message.contains("data="), message);
    assertTrue(message.contains("last marks: []"), message);
  }

  @Test
  void missingDirectorySyncIsFound() {
    assertTrue(failureOf(Bug.NO_DIRECTORY_SYNC).contains("names=UNDONE"));
  }

  @Test
  void earlyAcknowledgementIsFound() {
    assertTrue(failureOf(Bug.ACKNOWLEDGED_BEFORE_FLUSH).contains("Acknowledged[value=1]"));
  }

  @Test
  void leakIsFound() {
    assertTrue(failureOf(Bug.LEAVES_DESCRIPTOR_OPEN).contains("descriptors open"));
  }

  @Test
  void killedProgramLosesNothing() {
    Report report =
        CutCampaign.standard().kill(setting(Bug.ACKNOWLEDGED_BEFORE_FLUSH), (disk, marks) -> {});
    assertEquals(16, report.images());
    CutCampaign.standard().kill(setting(Bug.NO_FLUSH_BEFORE_RENAME), NOTHING_LOST);
  }

  @Test
  void roundsOfSeveralPrograms() {
    CutCampaign campaign = CutCampaign.standard();
    campaign.killReopenCut(setting(Bug.NONE), settingMore(Bug.NONE), NOTHING_LOST);
    campaign.cutReopenCut(setting(Bug.NONE), settingMore(Bug.NONE), NOTHING_LOST);
    Report report =
        campaign
            .withEarlierPoints(CutPoints.sampled(5))
            .withPoints(CutPoints.sampled(4))
            .killReopenKillReopenCut(setting(Bug.NONE), settingMore(Bug.NONE), NOTHING_LOST);
    assertEquals(5 * 5 * 4, report.cuts());
  }

  @Test
  void trustInThePageCacheAfterAKillIsFound() {
    String message =
        assertThrows(
                AssertionError.class,
                () ->
                    CutCampaign.standard()
                        .killReopenCut(
                            setting(Bug.NONE),
                            settingMore(Bug.REOPEN_TRUSTS_PAGE_CACHE),
                            NOTHING_LOST))
            .getMessage();
    assertTrue(message.contains("process killed after"), message);
    assertTrue(message.contains("; then power cut after"), message);
    assertTrue(message.contains(Interruption.KILL.name()), message);
  }

  @Test
  void programStoppedAtEveryCall() {
    CutCampaign.standard().stop(setting(Bug.NONE), NOTHING_LOST, NOTHING_LOST);
    assertThrows(
        AssertionError.class,
        () ->
            CutCampaign.standard()
                .stop(setting(Bug.NO_FLUSH_BEFORE_RENAME), NOTHING_LOST, NOTHING_LOST));
  }

  @Test
  void everyCallFails() {
    for (Effect effect : Effect.values()) {
      CutCampaign.standard().fail("EIO", effect, setting(Bug.NONE), NOTHING_LOST, NOTHING_LOST);
    }
    Program ignoringFailedFlush =
        disk -> {
          try {
            set(disk, 1, Bug.NONE);
          } catch (NativeCallException e) {
            disk.rename(disk.path("new"), disk.path("value"));
            disk.syncDirectory(disk.directory());
            disk.mark(new Acknowledged(1));
          }
        };
    assertThrows(
        AssertionError.class,
        () ->
            CutCampaign.standard()
                .fail(
                    "EIO",
                    Effect.NONE,
                    ignoringFailedFlush,
                    NOTHING_LOST,
                    NOTHING_LOST,
                    Kind.FLUSH));
  }

  @Test
  void cutPoints() {
    assertEquals("[0, 3, 6, 7]", Arrays.toString(CutPoints.every(3).of(7, 0)));
    assertEquals("[0, 3, 6]", Arrays.toString(CutPoints.every(3).of(6, 0)));
    assertEquals(4, CutPoints.sampled(4).of(100, 1).length);
    assertEquals(100, CutPoints.sampled(4).of(100, 1)[3]);
    assertEquals(4, CutPoints.sampled(10).of(3, 1).length);
  }
}
