package dev.kvdb.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.disk.CrashImage;
import dev.kvdb.disk.Kind;
import dev.kvdb.disk.Operation;
import dev.kvdb.disk.SimulatedDisk;
import dev.kvdb.engine.CrashEngine.Setup;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A log that ends at any byte of its last records, and one with a bit flipped in its midst. */
class CutLogTest {
  private static final boolean LONG = Boolean.getBoolean("kvdb.long");
  private static final int HEADER_BYTES = 4096;
  private static final int DIRTY = 0xA5;

  /** A stretch of a log file that one record of a commit takes. */
  private record Stretch(String file, long from, long to) {}

  /** What a killed process left, which stretches each commit wrote, and the states after each. */
  private static final class Left {
    final Map<String, byte[]> files = new HashMap<>();
    final List<CrashModel> states = new ArrayList<>();
    final List<List<Stretch>> stretches = new ArrayList<>();

    SimulatedDisk disk(String changedFile, byte[] changed) {
      SimulatedDisk disk = SimulatedDisk.create();
      files.forEach(
          (name, bytes) -> disk.putFile(name, name.equals(changedFile) ? changed : bytes));
      return disk;
    }

    /** How many commits lie wholly before a byte of a file, or in files that did not change. */
    int commitsWholeIn(String file, byte[] changed) {
      for (int i = 0; i < stretches.size(); i++) {
        for (Stretch stretch : stretches.get(i)) {
          int from = (int) stretch.from;
          int to = (int) stretch.to;
          byte[] now = stretch.file.equals(file) ? changed : files.get(stretch.file);
          if (now.length < to || !Arrays.equals(now, from, to, files.get(stretch.file), from, to)) {
            return i;
          }
        }
      }
      return stretches.size();
    }
  }

  private interface Commits {
    void run(CrashEngine engine);
  }

  /**
   * Runs commits, notes what each wrote, and takes what is left when the process is killed then.
   */
  private static Left leave(Setup setup, List<Commits> before, List<Commits> commits) {
    Left left = new Left();
    try (SimulatedDisk disk = SimulatedDisk.create();
        CrashEngine engine = CrashEngine.open(disk, setup)) {
      engine.createTable("t", setup.options().commitLevel());
      before.forEach(one -> one.run(engine));
      left.states.add(engine.model());
      for (Commits one : commits) {
        int start = disk.operationCount();
        one.run(engine);
        left.states.add(engine.model());
        List<Stretch> stretches = new ArrayList<>();
        for (Operation o : disk.operations().subList(start, disk.operationCount())) {
          boolean writes = o.kind() == Kind.WRITE || o.kind() == Kind.STORE;
          if (writes && o.name().contains("-wal-") && o.offset() >= HEADER_BYTES) {
            stretches.add(new Stretch(o.name(), o.offset(), o.offset() + o.length()));
          }
        }
        left.stretches.add(stretches);
      }
      CrashImage image = disk.kill(disk.operationCount());
      image.names().forEach(name -> left.files.put(name, image.content(name)));
    }
    return left;
  }

  private static Commits put(int key, int valueBytes, CommitLevel level) {
    byte[] value = new byte[valueBytes];
    Arrays.fill(value, (byte) key);
    return engine -> engine.put("t", new byte[] {(byte) key}, value, level);
  }

  private static Commits batch(int first, int count, int valueBytes, CommitLevel level) {
    return engine -> {
      CrashEngine.Batch batch = engine.batch();
      for (int i = 0; i < count; i++) {
        byte[] value = new byte[valueBytes];
        Arrays.fill(value, (byte) (first + i));
        batch.put("t", new byte[] {(byte) first, (byte) i}, value);
      }
      batch.write(level);
    };
  }

  private static int stateOf(Left left, Setup setup, SimulatedDisk disk) {
    try (Engine engine = setup.open(disk)) {
      assertEquals(List.of(), engine.verify().problems());
      CrashModel found = CrashModel.read(engine);
      for (int i = left.states.size() - 1; i >= 0; i--) {
        if (left.states.get(i).isSameAs(found)) {
          return i;
        }
      }
      throw new AssertionError("a state after no commit: " + found);
    }
  }

  private static Setup setup(boolean mapped) {
    CommitLevel level = mapped ? CommitLevel.NONE : CommitLevel.FSYNC;
    return Setup.of(CrashEngine.options(level, 8 << 10).withLog(1 << 20, 8 << 20, 8 << 10));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void cutAtEveryByteOfTheLastRecords(boolean mapped) {
    Setup setup = setup(mapped);
    Left left =
        leave(
            setup,
            List.of(put(1, 100, CommitLevel.FSYNC)),
            List.of(
                put(2, 0, CommitLevel.NONE),
                put(3, 37, CommitLevel.NONE),
                batch(100, 3, 10, CommitLevel.NONE),
                batch(4, 12, 800, CommitLevel.NONE), // over three slots
                put(5, 21, CommitLevel.NONE),
                put(6, 90, CommitLevel.NONE)));
    int images = 0;
    for (List<Stretch> commit : left.stretches) {
      for (Stretch stretch : commit) {
        images += cutWithin(left, setup, stretch);
      }
    }
    System.out.println(
        "log cut at every byte, mapped " + mapped + ": " + images + " images opened");
    assertTrue(images > 1000);
  }

  private static int cutWithin(Left left, Setup setup, Stretch stretch) {
    int images = 0;
    int length = (int) (stretch.to - stretch.from);
    // Long records have all their structure in the header; their payload is one checksum's.
    int stride = LONG || length < 300 ? 1 : 131;
    for (int at = 0; at < length; at += at < 48 || at > length - 16 ? 1 : stride) {
      int from = (int) stretch.from + at;
      for (int filler : new int[] {0, DIRTY, -1}) {
        byte[] bytes = left.files.get(stretch.file);
        if (filler < 0) {
          bytes = Arrays.copyOf(bytes, from);
        } else {
          bytes = bytes.clone();
          Arrays.fill(bytes, from, bytes.length, (byte) filler);
        }
        if (filler < 0 && from < 2 * HEADER_BYTES && at % 8 != 0) {
          continue; // shorter files are all alike but for where they end
        }
        try (SimulatedDisk disk = left.disk(stretch.file, bytes)) {
          int expected = left.commitsWholeIn(stretch.file, bytes);
          assertEquals(
              expected,
              stateOf(left, setup, disk),
              "cut at byte " + from + " of " + stretch.file + ", filler " + filler);
          images++;
        } catch (EngineException problem) {
          throw new AssertionError(
              "cut at byte " + from + " of " + stretch.file + ", filler " + filler, problem);
        }
      }
    }
    return images;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFlippedBitBeforeDurableCommitsIsDamage(boolean mapped) {
    Setup setup = setup(mapped);
    List<Commits> commits = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      commits.add(put(10 + i, 40 * i, CommitLevel.FULL));
      commits.add(put(30 + i, 40 * i, CommitLevel.NONE));
    }
    commits.add(4, batch(4, 12, 800, CommitLevel.FULL)); // over three slots
    commits.add(put(90, 10, CommitLevel.FULL));
    commits.add(put(91, 10, CommitLevel.NONE));
    Left left = leave(setup, List.of(), commits);
    // The last record names all before it as durable; only itself nobody vouches for.
    int vouchedFor = commits.size() - 1;
    Random random = new Random(1);
    int refused = 0;
    int opened = 0;
    for (int i = 0; i < commits.size(); i++) {
      for (Stretch stretch : left.stretches.get(i)) {
        int length = (int) (stretch.to - stretch.from);
        for (int at = 0; at < length; at += LONG || at < 40 ? 1 : 37) {
          byte[] bytes = left.files.get(stretch.file).clone();
          bytes[(int) stretch.from + at] ^= (byte) (1 << random.nextInt(8));
          String where = "bit flipped in byte " + at + " of commit " + i + " " + stretch;
          try (SimulatedDisk disk = left.disk(stretch.file, bytes)) {
            if (i < vouchedFor) {
              CrashChecker.requireRefused(disk, setup, EngineException.Kind.CORRUPT);
              refused++;
            } else {
              assertEquals(i, stateOf(left, setup, disk), where);
              opened++;
            }
          } catch (RuntimeException | AssertionError problem) {
            throw new AssertionError(where + ": " + problem, problem);
          }
        }
      }
    }
    System.out.println(
        "flipped bits, mapped "
            + mapped
            + ": "
            + refused
            + " images refused, "
            + opened
            + " opened");
    assertTrue(refused > 500 && opened > 10);
  }

  /** Nothing durable lies behind: what is left is a prefix. */
  @Test
  void aFlippedBitInUnsyncedCommitsEndsTheLog() {
    Setup setup = setup(true);
    List<Commits> commits = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      commits.add(put(10 + i, 50 * i, CommitLevel.NONE));
    }
    Left left = leave(setup, List.of(), commits);
    Random random = new Random(2);
    int images = 0;
    for (int i = 0; i < commits.size(); i++) {
      for (Stretch stretch : left.stretches.get(i)) {
        for (int at = (int) stretch.from; at < stretch.to; at += LONG ? 1 : 29) {
          byte[] bytes = left.files.get(stretch.file).clone();
          bytes[at] ^= (byte) (1 << random.nextInt(8));
          try (SimulatedDisk disk = left.disk(stretch.file, bytes)) {
            assertEquals(i, stateOf(left, setup, disk), "byte " + at + " of commit " + i);
            images++;
          }
        }
      }
    }
    System.out.println("flipped bits in unsynced commits: " + images + " images opened");
    assertTrue(images > 100);
  }

  /**
   * The header of a slot decides whose it is: a damaged one must not make a slot be taken for
   * someone else's, nor its commits be forgotten.
   */
  @Test
  void aFlippedBitInASlotHeaderIsDamage() {
    Setup setup = setup(false);
    List<Commits> commits = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      commits.add(put(10 + i, 600, CommitLevel.FULL));
    }
    Left left = leave(setup, List.of(), commits);
    int images = 0;
    for (String name : left.files.keySet()) {
      boolean holdsRecords =
          left.stretches.stream().flatMap(List::stream).anyMatch(s -> s.file.equals(name));
      for (int at = 0; holdsRecords && at < 76; at++) {
        byte[] bytes = left.files.get(name).clone();
        bytes[at] ^= 4;
        try (SimulatedDisk disk = left.disk(name, bytes)) {
          CrashChecker.requireRefused(
              disk, setup, EngineException.Kind.CORRUPT, EngineException.Kind.LOG_MISSING);
          images++;
        } catch (AssertionError problem) {
          throw new AssertionError(name + ", byte " + at + ": " + problem, problem);
        }
      }
    }
    System.out.println("flipped bits in slot headers: " + images + " images refused");
    assertTrue(images > 200);
  }
}
