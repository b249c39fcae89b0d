package dev.kvdb.engine;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.disk.CrashImage;
import dev.kvdb.disk.CutCampaign;
import dev.kvdb.disk.CutCampaign.Program;
import dev.kvdb.disk.CutPoints;
import dev.kvdb.disk.Effect;
import dev.kvdb.disk.ImageChoice;
import dev.kvdb.disk.ImageChoice.Data;
import dev.kvdb.disk.ImageChoice.Names;
import dev.kvdb.disk.Kind;
import dev.kvdb.disk.Operation;
import dev.kvdb.disk.SimulatedDisk;
import dev.kvdb.engine.CrashEngine.Setup;
import dev.kvdb.log.CraftedLogs;
import dev.kvdb.log.LogDirectory;
import dev.kvdb.log.LogPosition;
import dev.kvdb.log.LogReader;
import dev.kvdb.log.Rules;
import dev.kvdb.nativecalls.NativeCalls;
import dev.kvdb.pager.FileFormat;
import dev.kvdb.pager.SpacePolicy;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Bugs planted one at a time, each of which a campaign must notice, while the same campaign passes
 * without it. A rule whose breach nothing notices would be a rule that nothing tests.
 */
class PlantedBugsTest {
  private static final int SECOND_META = 16 * 4096;

  /** A campaign over engines opened in one way. */
  private interface Campaign {
    void run(Setup setup) throws Exception;
  }

  private static void assertCaught(String bug, Setup healthy, Setup planted, Campaign campaign)
      throws Exception {
    campaign.run(healthy);
    AssertionError caught = assertThrows(AssertionError.class, () -> campaign.run(planted), bug);
    String text = caught.getMessage();
    System.out.println(
        "planted: " + bug + ": caught, " + text.substring(0, Math.min(400, text.length())));
  }

  private static Setup setup(CommitLevel level) {
    return Setup.of(CrashEngine.options(level, 16 << 10));
  }

  private static byte[] key(int i) {
    return String.format("%06d", i).getBytes();
  }

  private static byte[] value(int seed, int length) {
    byte[] value = new byte[length];
    Arrays.fill(value, (byte) seed);
    return value;
  }

  private static void put(CrashEngine engine, int key, int seed, CommitLevel level) {
    engine.put("t", key(key), value(seed, 100), level);
  }

  /** A table of some leaves, durable. */
  private static void fill(CrashEngine engine, int entries) {
    engine.createTable("t", CommitLevel.FSYNC);
    CrashEngine.Batch batch = engine.batch();
    for (int i = 0; i < entries; i++) {
      batch.put("t", key(i), value(i, 100));
    }
    batch.write(CommitLevel.FSYNC);
    engine.checkpoint();
  }

  private static void checkpoints(SimulatedDisk disk, Setup setup) {
    try (CrashEngine engine = CrashEngine.open(disk, setup)) {
      fill(engine, 200);
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 10; i++) {
          put(engine, (i * 37 + round) % 200, round, CommitLevel.FSYNC);
        }
        engine.checkpoint();
      }
    }
  }

  private static void cutEveryCall(Program program, Setup setup) {
    cut(program, setup, 1);
  }

  private static void cut(Program program, Setup setup, int stride) {
    CutCampaign.standard()
        .withPoints(CutPoints.every(stride))
        .cut(program, CrashChecker.of(setup).afterCut());
  }

  private static boolean isMeta(ChangedCalls.Call call) {
    return call.is("write", CrashEngine.NAME)
        && (call.offset() == 0 || call.offset() == SECOND_META);
  }

  // ------------------------------------------------------------------ beneath the engine

  /** The flush between a checkpoint's pages and its meta does nothing. */
  private static final class NoFlushBeforeMeta extends ChangedCalls {
    private boolean pagesWritten;

    NoFlushBeforeMeta(NativeCalls target) {
      super(target);
    }

    @Override
    Object perform(Call call) throws Throwable {
      if (call.is("write", CrashEngine.NAME)) {
        pagesWritten = !isMeta(call);
      } else if (call.is("flush", CrashEngine.NAME) && pagesWritten) {
        return true;
      }
      return call.proceed();
    }
  }

  @Test
  void noFlushOfThePagesBeforeTheMeta() throws Exception {
    Setup setup = setup(CommitLevel.FSYNC);
    assertCaught(
        "no flush of the pages before the meta",
        setup,
        setup.with(calls -> new NoFlushBeforeMeta(calls).calls()),
        with -> cutEveryCall(disk -> checkpoints(disk, with), with));
  }

  /** An open does not write the meta it chose over itself. */
  private static final class NoFirstRewrite extends ChangedCalls {
    private boolean skipsWrite;
    private boolean skipsFlush;

    NoFirstRewrite(NativeCalls target) {
      super(target);
    }

    @Override
    Object perform(Call call) throws Throwable {
      if (call.name.equals("open")
          && call.arguments[1] == NativeCalls.OpenMode.READ_WRITE
          && call.arguments[0].toString().endsWith("/" + CrashEngine.NAME)) {
        skipsWrite = true;
      } else if (isMeta(call) && skipsWrite) {
        skipsWrite = false;
        skipsFlush = true;
        return null;
      } else if (call.is("flush", CrashEngine.NAME) && skipsFlush) {
        skipsFlush = false;
        return true;
      }
      return call.proceed();
    }
  }

  /**
   * A meta that was written and not flushed by a killed process is all there is while the next one
   * overwrites the other: should that write be torn even within its sector, nothing newer than the
   * last but one would be left. So this campaign tears metas at any byte.
   */
  private static void tearMetasAfterKill(Setup setup) throws Exception {
    CrashChecker checker = CrashChecker.of(setup);
    int images = 0;
    try (SimulatedDisk first = SimulatedDisk.create()) {
      checkpoints(first, setup);
      for (int end = 1; end <= first.operationCount(); end++) {
        if (end % 3 != 0 && !isMetaWrite(first.operations().get(end - 1))) {
          continue;
        }
        try (SimulatedDisk second = SimulatedDisk.from(first.kill(end))) {
          List<Object> marks = new ArrayList<>(first.marksBefore(end));
          if (marks.isEmpty()) {
            continue; // not created yet
          }
          marks.add(CutCampaign.Interruption.KILL);
          try (CrashEngine engine = CrashEngine.open(second, setup)) {
            engine.checkpoint();
          }
          images += tearMetas(second, marks, checker);
        }
      }
    }
    System.out.println("torn metas: " + images + " images opened");
    assertTrue(images > 0);
  }

  private static boolean isMetaWrite(Operation operation) {
    return operation.kind() == Kind.WRITE
        && !operation.name().contains("-wal-")
        && (operation.offset() == 0 || operation.offset() == SECOND_META);
  }

  private static int tearMetas(SimulatedDisk disk, List<Object> earlier, CrashChecker checker)
      throws Exception {
    int images = 0;
    for (Operation write : disk.operations()) {
      if (!isMetaWrite(write)) {
        continue;
      }
      CrashImage image = disk.cut(write.index() + 1, new ImageChoice(Data.NOTHING, Names.KEPT, 0));
      List<Object> marks = new ArrayList<>(earlier);
      marks.addAll(disk.marksBefore(write.index() + 1));
      for (int torn : new int[] {60, 130, 300}) {
        try (SimulatedDisk left = SimulatedDisk.create()) {
          for (String name : image.names()) {
            byte[] bytes = image.content(name);
            if (name.equals(CrashEngine.NAME)) {
              System.arraycopy(write.data(), 0, bytes, (int) write.offset(), torn);
            }
            left.putFile(name, bytes);
          }
          checker.afterCut().check(left, marks);
          images++;
        } catch (AssertionError problem) {
          throw new AssertionError(image + ", meta torn at " + torn + ": " + problem, problem);
        }
      }
    }
    return images;
  }

  @Test
  void noFirstRewriteOfTheMeta() throws Exception {
    Setup setup = setup(CommitLevel.FSYNC);
    assertCaught(
        "no first rewrite of the meta at open",
        setup,
        setup.with(calls -> new NoFirstRewrite(calls).calls()),
        PlantedBugsTest::tearMetasAfterKill);
  }

  /** The last write to the log is done at the next call only. */
  private static final class LateLogWrites extends ChangedCalls {
    private Call held;

    LateLogWrites(NativeCalls target) {
      super(target);
    }

    @Override
    synchronized Object perform(Call call) throws Throwable {
      if (held != null) {
        Call late = held;
        held = null;
        late.proceed();
      }
      if (call.name.equals("write") && call.fileName().contains("-wal-") && call.offset() > 0) {
        MemorySegment source = (MemorySegment) call.arguments[1];
        MemorySegment copy = Arena.ofAuto().allocate(source.byteSize(), 8);
        call.arguments[1] = copy.copyFrom(source);
        held = call;
        return null;
      }
      return call.proceed();
    }
  }

  @Test
  void acknowledgedBehindUnwrittenBytes() throws Exception {
    Setup setup = setup(CommitLevel.FSYNC);
    assertCaught(
        "NONE acknowledged behind unwritten bytes",
        setup,
        setup.with(calls -> new LateLogWrites(calls).calls()),
        with ->
            CutCampaign.standard()
                .kill(
                    disk -> {
                      try (CrashEngine engine = CrashEngine.open(disk, with)) {
                        fill(engine, 20);
                        for (int i = 0; i < 10; i++) {
                          put(engine, i, 50 + i, CommitLevel.NONE);
                        }
                      }
                    },
                    CrashChecker.of(with).afterKill()));
  }

  // ------------------------------------------------------------------ rules of space

  @Test
  void newestStampInsteadOfTheExactOne() throws Exception {
    Setup setup = setup(CommitLevel.FSYNC);
    assertCaught(
        "the newest stamp counts, not the exact one",
        setup,
        setup.with(
            new SpacePolicy() {
              @Override
              protected boolean isMapOf(long stampFound, long stampInCatalog) {
                return stampFound >= stampInCatalog;
              }
            }),
        with -> cutEveryCall(disk -> checkpoints(disk, with), with));
  }

  /**
   * Commits within the flush of a checkpoint, so that pages it reaches die before it is durable.
   */
  private static void commitsDuringCheckpoint(SimulatedDisk disk, Setup setup) {
    try (CrashEngine engine = CrashEngine.open(disk, setup)) {
      fill(engine, 200);
      for (int i = 0; i < 200; i += 9) {
        put(engine, i, 1, CommitLevel.NONE);
      }
      AtomicBoolean armed = new AtomicBoolean(true);
      Thread program = Thread.currentThread();
      disk.duringFlush(
          () -> {
            if (Thread.currentThread() == program && armed.getAndSet(false)) {
              for (int i = 0; i < 200; i += 9) {
                put(engine, i, 2, CommitLevel.NONE);
              }
            }
          });
      // No mark: what was committed meanwhile is not in it.
      engine.engine().checkpoint();
      disk.duringFlush(() -> {});
      for (int i = 0; i < 200; i += 11) {
        put(engine, i, 3, CommitLevel.NONE);
      }
      engine.check();
      engine.checkpoint();
    }
  }

  @Test
  void pageHandedOutThatTheBegunCheckpointReaches() throws Exception {
    // Large slots: no other thread flushes one, so the first flush is that of the pages.
    Setup setup =
        Setup.of(
            CrashEngine.options(CommitLevel.FSYNC, 1 << 20).withLog(8 << 20, 32 << 20, 1 << 20));
    assertCaught(
        "a page handed out that only the begun checkpoint reaches",
        setup,
        setup.with(
            new SpacePolicy() {
              @Override
              protected boolean begunCheckpointHolds() {
                return false;
              }
            }),
        with -> cut(disk -> commitsDuringCheckpoint(disk, with), with, 2));
  }

  /** A database of two regions of the space map, whose catalog lies in the first. */
  private static CrashImage twoRegions(Setup setup) {
    try (SimulatedDisk disk = SimulatedDisk.create()) {
      try (CrashEngine engine = CrashEngine.open(disk, setup)) {
        engine.createTable("t", CommitLevel.NONE);
        for (int i = 0; usedPages(engine) < FileFormat.REGION_PAGES + 200; i++) {
          CrashEngine.Batch batch = engine.batch();
          for (int j = 0; j < 1000; j++) {
            batch.put("t", longKey(1000 * i + j), value(i, 1024));
          }
          batch.write(CommitLevel.NONE);
        }
        engine.checkpoint();
        // Room for catalogs, and for what the last commits copy, at the beginning of the file.
        engine.deleteRange("t", null, longKey(500), CommitLevel.NONE);
        engine.checkpoint();
      }
      return disk.kill(disk.operationCount());
    }
  }

  private static long usedPages(CrashEngine engine) {
    EngineStats stats = engine.engine().stats();
    return stats.pages() - stats.freePages();
  }

  /** So long that a page holds one entry. */
  private static byte[] longKey(int i) {
    return String.format("%06d%0994d", i, 0).getBytes();
  }

  /** The space map of a region changes behind the freeze of a checkpoint, and not again. */
  private static void changeBehindTheFreeze(CrashImage base, Setup setup, ForgetfulMaps policy)
      throws Exception {
    try (SimulatedDisk disk = SimulatedDisk.from(base)) {
      try (CrashEngine engine = CrashEngine.open(disk, setup)) {
        // Not the last: its leaf was copied to the beginning of the file again and again.
        byte[] nearEnd =
            engine.model().entries("t").descendingKeySet().stream()
                .skip(50)
                .findFirst()
                .orElseThrow();
        engine.checkpoint();
        AtomicBoolean armed = new AtomicBoolean(true);
        Thread program = Thread.currentThread();
        disk.duringFlush(
            () -> {
              if (Thread.currentThread() == program && armed.getAndSet(false)) {
                engine.delete("t", nearEnd, CommitLevel.NONE);
              }
            });
        engine.engine().checkpoint();
        disk.duringFlush(() -> {});
        policy.cleanUntil = engine.engine().stats().commitNumber();
        engine.checkpoint();
      }
      try (SimulatedDisk left = SimulatedDisk.from(disk.kill(disk.operationCount()))) {
        List<Object> marks = new ArrayList<>(disk.marksBefore(disk.operationCount()));
        CrashHistory.Found atOpen = (CrashHistory.Found) marks.getFirst();
        marks.addFirst(new CrashHistory.Begun(0, atOpen.state()));
        CrashChecker.of(setup, 1000).afterKill().check(left, marks);
      }
    }
  }

  /** Takes regions that changed up to a number for written. */
  private static final class ForgetfulMaps extends SpacePolicy {
    private volatile long cleanUntil;

    @Override
    protected boolean isMapExact(long changedAt, long freezeNumber, long writtenStamp) {
      return writtenStamp >= 0 && changedAt <= Math.max(writtenStamp, cleanUntil);
    }
  }

  @Test
  void aRegionCalledCleanThoughItChangedBehindTheFreeze() throws Exception {
    Setup setup =
        Setup.of(
            CrashEngine.options(CommitLevel.NONE, 8 << 20)
                .withPoolBytes(32 << 20)
                .withDeadBytesTrigger(1 << 30)
                .withLog(1 << 30, 2L << 30, 8 << 20));
    CrashImage base = twoRegions(setup);
    ForgetfulMaps unused = new ForgetfulMaps();
    ForgetfulMaps forgetful = new ForgetfulMaps();
    assertCaught(
        "a region called clean though it changed behind the freeze",
        setup,
        setup.with(forgetful),
        with -> changeBehindTheFreeze(base, with, with == setup ? unused : forgetful));
  }

  /** While a commit is being synced others follow, and readers look at the state before it. */
  private static void readDuringSync(Setup setup) throws Exception {
    try (SimulatedDisk disk = SimulatedDisk.create();
        CrashEngine engine = CrashEngine.open(disk, setup)) {
      fill(engine, 4000);
      for (int i = 0; i < 4000; i += 37) {
        put(engine, i, 1, CommitLevel.FSYNC);
      }
      CrashModel before = engine.model();
      EngineTable table = engine.engine().findTable("t");
      List<Thread> writers = new ArrayList<>();
      Throwable[] problem = new Throwable[1];
      AtomicBoolean armed = new AtomicBoolean(true);
      Thread program = Thread.currentThread();
      disk.duringFlush(
          () -> {
            if (Thread.currentThread() == program && armed.getAndSet(false)) {
              try {
                startWriters(disk, engine.engine(), table, writers);
                if (!CrashModel.read(engine.engine()).isSameAs(before)) {
                  problem[0] = new AssertionError("a reader sees what is not published");
                }
              } catch (RuntimeException | InterruptedException | AssertionError e) {
                problem[0] = e;
              }
            }
          });
      engine.engine().put(table, key(3), value(9, 100), CommitLevel.FSYNC);
      for (Thread writer : writers) {
        writer.join();
      }
      if (problem[0] != null) {
        throw new AssertionError("readers of the published state: " + problem[0], problem[0]);
      }
      assertTrue(writers.size() == 6);
    }
  }

  private static void startWriters(
      SimulatedDisk disk, Engine engine, EngineTable table, List<Thread> writers)
      throws InterruptedException {
    for (int n = 0; n < 6; n++) {
      OperationBuffer operations = new OperationBuffer();
      for (int i = 0; i < 4000; i += 5) {
        operations.put(table.id(), key(i), value(20 + n, 100));
      }
      int logged = disk.operationCount();
      Thread writer = new Thread(() -> engine.write(operations, CommitLevel.NONE));
      writer.start();
      writers.add(writer);
      // It is applied and waits: its record is written, and it sleeps until the sync is over.
      while (disk.operationCount() == logged || writer.getState() != Thread.State.WAITING) {
        if (!writer.isAlive()) {
          return; // it failed: the readers will tell
        }
        Thread.sleep(1);
      }
    }
  }

  @Test
  void reuseBeforeTheDeathIsPublished() throws Exception {
    Setup setup =
        Setup.of(
            CrashEngine.options(CommitLevel.FSYNC, 1 << 20).withLog(8 << 20, 32 << 20, 1 << 20));
    assertCaught(
        "reuse before the death is published",
        setup,
        setup.with(
            new SpacePolicy() {
              @Override
              protected boolean isPublished(long death, long published) {
                return true;
              }
            }),
        PlantedBugsTest::readDuringSync);
  }

  /** One commit fails, those behind it do not. */
  private static void commitFails(SimulatedDisk disk, Setup setup) {
    try (CrashEngine engine = CrashEngine.open(disk, setup)) {
      fill(engine, 200);
      for (int round = 0; round < 3; round++) {
        put(engine, 100, round, CommitLevel.FSYNC);
        disk.failCall(1, "ENOSPC", Effect.PARTIAL, Kind.WRITE);
        assertThrows(EngineException.class, () -> put(engine, 100, 77, CommitLevel.FSYNC));
        disk.clearFailures();
        for (int i = 0; i < 60; i++) {
          put(engine, i * 3, round, CommitLevel.NONE);
        }
        engine.check();
        engine.checkpoint();
      }
      engine.verify();
    }
  }

  @Test
  void deathsOfAFailedCommitAreFiled() throws Exception {
    Setup setup =
        Setup.of(
            CrashEngine.options(CommitLevel.FSYNC, 1 << 20).withLog(8 << 20, 32 << 20, 1 << 20));
    assertCaught(
        "the deaths of a failed commit are filed",
        setup,
        setup.with(
            new SpacePolicy() {
              @Override
              protected boolean dropsDeathsOfFailedCommit() {
                return false;
              }
            }),
        with ->
            CutCampaign.standard()
                .withPoints(CutPoints.sampled(25))
                .cut(disk -> commitFails(disk, with), CrashChecker.of(with).afterCut()));
  }

  // ------------------------------------------------------------------ rules of the log

  private static LogRules reader(Rules rules) {
    return new LogRules() {
      @Override
      LogReader reader(NativeCalls calls, LogDirectory logs, LogPosition start) {
        return LogReader.open(calls, logs, start, rules);
      }
    };
  }

  private static final int SINGLE_PAYLOAD_BYTES = OperationBuffer.PUT_CONTENT + 6 + 100;

  /** A batch whose payload has just so many bytes. */
  private static CrashEngine.Batch batchOf(CrashEngine engine, int bytes, int seed) {
    CrashEngine.Batch batch = engine.batch();
    int one = OperationBuffer.PUT_CONTENT + 6;
    int left = bytes;
    for (int i = 1000; left > 0; i++) {
      int take = left < one + 1000 ? left : left < 2 * one + 1000 ? left / 2 : one + 1000;
      batch.put("t", key(i), value(seed, take - one));
      left -= take;
    }
    return batch;
  }

  /**
   * A commit of two parts fails though its second part reached the disk. Two others take its place,
   * just as long; when the power goes, the second of them is lost, and the one behind it is not.
   */
  private static void commitBehindAFailedOne(SimulatedDisk disk, Setup setup) {
    int part = CraftedLogs.partBytesMax();
    try (CrashEngine engine = CrashEngine.open(disk, setup)) {
      fill(engine, 20);
      put(engine, 1, 81, CommitLevel.FSYNC);
      disk.failCall(2, "EIO", Effect.WHOLE, Kind.WRITE);
      CrashEngine.Batch failing = batchOf(engine, part + SINGLE_PAYLOAD_BYTES, 1);
      assertThrows(EngineException.class, () -> failing.write(CommitLevel.NONE));
      disk.clearFailures();
      batchOf(engine, part, 2).write(CommitLevel.NONE);
      put(engine, 2, 82, CommitLevel.NONE);
      put(engine, 3, 83, CommitLevel.NONE);
    }
  }

  @Test
  void aRecordWithoutItsPredecessorsChecksum() throws Exception {
    Setup setup =
        Setup.of(
            CrashEngine.options(CommitLevel.FSYNC, 1 << 20).withLog(8 << 20, 32 << 20, 1 << 20));
    List<ImageChoice> choices =
        Stream.concat(
                ImageChoice.standard(1).stream(),
                LongStream.range(2, 12)
                    .mapToObj(seed -> new ImageChoice(Data.ALL_BUT_ONE, Names.KEPT, seed)))
            .toList();
    assertCaught(
        "a record accepted without the checksum of the one before it",
        setup,
        setup.with(reader(new Rules(false, true))),
        with ->
            CutCampaign.standard()
                .withChoices(choices)
                .cut(disk -> commitBehindAFailedOne(disk, with), CrashChecker.of(with).afterCut()));
  }

  /** The engine takes failed commits back, so a log like this is written by hand. */
  private static void unfinishedBatch(Setup setup) throws Exception {
    Map<String, byte[]> files = new HashMap<>();
    List<Object> marks;
    try (SimulatedDisk disk = SimulatedDisk.create();
        CrashEngine engine = CrashEngine.open(disk, setup)) {
      fill(engine, 20);
      EngineTable table = engine.engine().findTable("t");
      put(engine, 1, 81, CommitLevel.FULL);
      OperationBuffer unfinished = new OperationBuffer();
      unfinished.put(table.id(), key(500), value(5, 100));
      OperationBuffer whole = new OperationBuffer();
      whole.put(table.id(), key(600), value(6, 100));
      CrashImage image = disk.kill(disk.operationCount());
      marks = new ArrayList<>(disk.marksBefore(disk.operationCount()));
      marks.add(
          new CrashHistory.Begun(
              1000, engine.model().edit().put("t", key(600), value(6, 100)).done()));
      marks.add(new CrashHistory.Acked(1000, CommitLevel.FULL));
      image.names().forEach(name -> files.put(name, image.content(name)));
      files.computeIfPresent(
          CrashEngine.NAME + "-wal-0",
          (name, slot) ->
              CraftedLogs.withUnfinishedBatch(
                  slot,
                  Arrays.copyOf(unfinished.bytes(), unfinished.length()),
                  Arrays.copyOf(whole.bytes(), whole.length())));
    }
    try (SimulatedDisk left = SimulatedDisk.create()) {
      files.forEach(left::putFile);
      CrashChecker.of(setup).afterCut().check(left, marks);
    }
  }

  @Test
  void anUnfinishedBatchIsJoinedByTheNextCommit() throws Exception {
    Setup setup =
        Setup.of(
            CrashEngine.options(CommitLevel.FSYNC, 1 << 20).withLog(8 << 20, 32 << 20, 1 << 20));
    assertCaught(
        "an unfinished batch joined by the next commit",
        setup,
        setup.with(reader(new Rules(true, false))),
        PlantedBugsTest::unfinishedBatch);
  }
}
