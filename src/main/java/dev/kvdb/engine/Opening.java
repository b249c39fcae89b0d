package dev.kvdb.engine;

import dev.kvdb.engine.EngineException.Kind;
import dev.kvdb.log.Log;
import dev.kvdb.log.LogDirectory;
import dev.kvdb.log.LogIdentity;
import dev.kvdb.log.LogOptions;
import dev.kvdb.log.LogPosition;
import dev.kvdb.log.LogReader;
import dev.kvdb.log.LogSummary;
import dev.kvdb.nativecalls.NativeCalls;
import dev.kvdb.page.PageFormat;
import dev.kvdb.pager.AddressSpace;
import dev.kvdb.pager.Catalog;
import dev.kvdb.pager.CheckpointWriter;
import dev.kvdb.pager.Failpoint;
import dev.kvdb.pager.Meta;
import dev.kvdb.pager.Metas;
import dev.kvdb.pager.PageFile;
import dev.kvdb.pager.Pager;
import dev.kvdb.pager.SpacePolicy;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Opens a database: finds the newest meta, reads the whole log and finds it good, and only then
 * changes anything: secures the meta, replays, takes a checkpoint. The old log is never edited.
 */
final class Opening {
  /** How far the counter moves on: past any number that a lost tail may have used (I-2). */
  private static final long NUMBERS_SKIPPED = 1L << 32;

  private final NativeCalls calls;
  private final EngineOptions options;
  private final SpacePolicy policy;
  private final LogRules logRules;
  private final DatabaseFile file;
  private final ReentrantLock commitLock = new ReentrantLock();

  private AddressSpace space;
  private Log log;
  private LogSummary summary;
  private long replayedCommits;

  Opening(
      NativeCalls calls,
      EngineOptions options,
      SpacePolicy policy,
      LogRules logRules,
      DatabaseFile file) {
    this.calls = calls;
    this.options = options;
    this.policy = policy;
    this.logRules = logRules;
    this.file = file;
  }

  /** What an open made: the store and how much it replayed. */
  record Opened(Store store, Checkpointer checkpointer, long replayedCommits, LogDirectory logs) {}

  /** Opens; after a failure everything but the file's descriptor has been given back. */
  Opened open() {
    try {
      return openPages();
    } catch (RuntimeException | Error problem) {
      if (log != null) {
        log.close();
      }
      if (space != null) {
        space.closeArena();
        space.unmapTable();
        space.unmapPages();
      }
      throw problem;
    }
  }

  private Opened openPages() {
    PageFile pageFile = new PageFile(calls, file.descriptor());
    Metas metas = Metas.read(pageFile);
    Meta meta = metas.newest();
    int frames = Math.clamp(options.poolBytes() / PageFormat.PAGE_BYTES, Pager.FRAMES_MIN, 1 << 28);
    space = new AddressSpace(calls, frames, options.addressSpaceBytes(), file.descriptor());
    Catalog catalog = Catalog.read(pageFile, meta.catalogPage(), meta.catalogBirth());
    Pager pager = new Pager(space, pageFile, frames, meta, catalog, !options.readOnly(), policy);
    Tables tables = tablesOf(catalog, meta);
    LogIdentity identity =
        new LogIdentity(
            new UUID(meta.databaseHigh(), meta.databaseLow()),
            new UUID(meta.timelineHigh(), meta.timelineLow()));
    LogDirectory logs = LogDirectory.scan(calls, file.path(), identity);
    LogReader reader = readLog(identity, logs, meta);
    if (metas.isOneDamaged()) {
      requireWholeState(pager, tables, meta);
    }
    CheckpointWriter writer = new CheckpointWriter(pager, commitLock, metas.newestPlace(), meta);
    long firstNumber = meta.nextCommitNumber() + NUMBERS_SKIPPED;
    if (!options.readOnly()) {
      Failpoint.reach("open.beforeSecure");
      writer.secureMeta(firstNumber);
      Failpoint.reach("open.secured");
      log = newLog(identity, logs, meta);
    }
    Store store = new Store(calls, file, options, space, pager, tables, writer, log, commitLock);
    store.nextNumber = firstNumber;
    store.appliedNumber = meta.checkpointNumber();
    store.publish(meta.checkpointNumber());
    if (reader != null) {
      replay(store, reader);
    }
    Checkpointer checkpointer = options.readOnly() ? null : new Checkpointer(store);
    if (checkpointer != null && meta.log() != null) {
      checkpointer.checkpointAfterRecovery();
      Failpoint.reach("open.recovered");
    }
    return new Opened(store, checkpointer, replayedCommits, logs);
  }

  private static Tables tablesOf(Catalog catalog, Meta meta) {
    Tables tables = new Tables();
    for (Catalog.Table listed : catalog.tables()) {
      RootEntry root =
          new RootEntry(
              meta.checkpointNumber(),
              listed.rootPage(),
              listed.rootBirth(),
              listed.height(),
              listed.count(),
              null);
      tables.add(new EngineTable(listed.id(), listed.name(), root), meta.checkpointNumber());
    }
    tables.raiseNextId(meta.nextTableId());
    return tables;
  }

  /** Reads the whole log and finds its end; nothing is changed if it is damaged. */
  private LogReader readLog(LogIdentity identity, LogDirectory logs, Meta meta) {
    if (meta.log() == null) {
      return null;
    }
    LogPosition start =
        new LogPosition(
            meta.log().slotNumber(),
            meta.log().slotSalt(),
            meta.log().offset(),
            meta.nextLsn(),
            meta.log().chain());
    LogReader reader = logRules.reader(calls, logs, start);
    summary = reader.summary();
    return reader;
  }

  /**
   * One of the two metas is damaged. The other may be the older one, whose pages a newer checkpoint
   * may have given away: it counts only if the log is unbroken from its position and its whole tree
   * is there.
   */
  private void requireWholeState(Pager pager, Tables tables, Meta meta) {
    if (summary != null && !summary.unbroken()) {
      throw new EngineException(
          Kind.CORRUPT,
          file.path()
              + ": one of its two meta pages is damaged, and the log does not reach from the other"
              + " one to its end (restore from a backup)",
          null);
    }
    VerifyResult result = new Verifier(pager, tables).verifyWithMap(meta.checkpointNumber());
    if (!result.problems().isEmpty()) {
      throw new EngineException(
          Kind.CORRUPT,
          file.path()
              + ": one of its two meta pages is damaged, and the state that the other one names is"
              + " not whole: "
              + result.problems().getFirst()
              + " (restore from a backup)",
          null);
    }
  }

  private Log newLog(LogIdentity identity, LogDirectory logs, Meta meta) {
    LogOptions logOptions =
        new LogOptions(
            options.slotBytes(), options.logBytesMax(), options.commitLevel() == CommitLevel.NONE);
    long nextLsn = summary == null ? meta.nextLsn() : summary.lastLsn() + 1;
    return logRules.log(
        calls, file.path(), identity, logOptions, logs, meta.nextSlotNumber(), nextLsn);
  }

  /**
   * Replays the log as a row of unpublished commits. Many records share a number, so that their
   * pages are changed in place; a new one is taken each time the pool has turned over once.
   */
  private void replay(Store store, LogReader reader) {
    Applier applier = new Applier(store.pager, store.tables);
    int pagesPerNumber = store.pager.frameCount();
    applier.begin(nextReplayNumber(store), true);
    Path path = file.path();
    reader.forEachCommit(
        (commitNumber, bytes, offset, length) -> {
          try {
            applier.apply(bytes, offset, length);
          } catch (EngineException problem) {
            throw new EngineException(
                problem.kind() == Kind.NO_SUCH_TABLE ? Kind.CORRUPT : problem.kind(),
                path + ": the log cannot be replayed: " + problem.getMessage(),
                problem);
          }
          applier.sealNames();
          replayedCommits++;
          if (store.pager.madePages() >= pagesPerNumber) {
            applier.seal();
            publish(store);
            applier.begin(nextReplayNumber(store), true);
          }
        });
    applier.seal();
    publish(store);
    Failpoint.reach("open.replayed");
  }

  private static long nextReplayNumber(Store store) {
    return store.nextNumber++;
  }

  private static void publish(Store store) {
    long number = store.nextNumber - 1;
    store.appliedNumber = number;
    store.publish(number);
    store.pager.publish(number);
  }
}
