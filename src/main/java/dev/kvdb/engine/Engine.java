package dev.kvdb.engine;

import dev.kvdb.engine.EngineException.Kind;
import dev.kvdb.nativecalls.NativeCallException;
import dev.kvdb.nativecalls.NativeCalls;
import dev.kvdb.page.PageFormat;
import dev.kvdb.pager.FileFormat;
import dev.kvdb.pager.Meta;
import dev.kvdb.pager.Pager;
import dev.kvdb.pager.SpacePolicy;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * One open database. Many threads.
 *
 * <p>All that goes wrong arrives as {@link EngineException}.
 */
public final class Engine implements AutoCloseable {
  private final Store store;
  private final Pager pager;
  private final GroupCommit group;
  private final Checkpointer checkpointer;
  private final Committer committer;
  private final ViewCount views = new ViewCount();
  private final long replayedCommits;
  private final List<Path> foreignLogs;
  private final Closing closing;
  private final long firstSlotNumber;

  private Engine(Opening.Opened opened) {
    this.store = opened.store();
    this.pager = store.pager;
    this.checkpointer = opened.checkpointer();
    this.group = new GroupCommit(store);
    this.committer = checkpointer == null ? null : new Committer(store, group, checkpointer);
    this.replayedCommits = opened.replayedCommits();
    this.foreignLogs = opened.logs().foreignFiles().stream().map(name -> name.path()).toList();
    this.firstSlotNumber = store.log == null ? 0 : store.log.nextSlotNumber();
    this.closing = new Closing(store, views, group, checkpointer, committer);
  }

  /**
   * Opens a database, and creates it first where that is asked for.
   *
   * @throws EngineException if it cannot be opened; nothing has changed then, unless the message
   *     says so
   */
  public static Engine open(Path path, EngineOptions options, NativeCalls calls) {
    return open(path, options, calls, SpacePolicy.RULES, LogRules.STRICT);
  }

  /** As above with rules that a test may have weakened. */
  static Engine open(
      Path path, EngineOptions options, NativeCalls calls, SpacePolicy policy, LogRules logRules) {
    DatabaseFile file;
    try {
      file = DatabaseFile.open(calls, path, options.create(), options.readOnly());
    } catch (RuntimeException problem) {
      throw Problems.translate(path, problem);
    }
    try {
      Opening.Opened opened = new Opening(calls, options, policy, logRules, file).open();
      Engine engine = new Engine(opened);
      if (engine.checkpointer != null) {
        engine.checkpointer.start();
      }
      return engine;
    } catch (RuntimeException problem) {
      file.close();
      throw Problems.translate(file.path(), problem);
    } catch (Error problem) {
      file.close();
      if (problem instanceof InternalError) {
        throw new EngineException(
            Kind.CORRUPT, file.path() + ": a mapped page cannot be read", problem);
      }
      throw problem;
    }
  }

  /** The page file, symbolic links resolved. */
  public Path file() {
    return store.path();
  }

  /** Whether it was opened for reading only. */
  public boolean isReadOnly() {
    return store.options.readOnly();
  }

  // ------------------------------------------------------------------ tables

  /** The table with a name; null if there is none. */
  public EngineTable findTable(String name) {
    store.requireOpen();
    return store.tables.find(name, store.published);
  }

  /** The table with a name, created by a commit of its own if there is none. */
  public EngineTable createTable(String name) {
    EngineTable table = findTable(name);
    if (table != null) {
      return table;
    }
    store.requireWritable();
    return committer.createTable(name, encode(name), store.options.commitLevel());
  }

  /** Removes a table and all its entries. */
  public void dropTable(String name) {
    store.requireWritable();
    committer.dropTable(name, store.options.commitLevel());
  }

  /** Gives a table another name. */
  public void renameTable(String from, String to) {
    store.requireWritable();
    committer.renameTable(from, to, encode(to), store.options.commitLevel());
  }

  private byte[] encode(String name) {
    byte[] encoded = name.getBytes(StandardCharsets.UTF_8);
    if (encoded.length == 0 || encoded.length > Tables.NAME_BYTES_MAX) {
      throw new EngineException(
          Kind.LIMIT,
          "a table's name has 1 to "
              + Tables.NAME_BYTES_MAX
              + " bytes of UTF-8, this one "
              + encoded.length,
          null);
    }
    return encoded;
  }

  /** All tables in the order of their names. */
  public List<EngineTable> tables() {
    store.requireOpen();
    return store.tables.at(store.published);
  }

  // ------------------------------------------------------------------ reads

  /** A copy of a value in the newest published state, null if the key is absent. */
  public byte[] get(EngineTable table, byte[] key) {
    int token = pager.enter();
    try {
      return Reads.get(pager, root(table), key);
    } catch (RuntimeException | InternalError problem) {
      throw store.translate(problem);
    } finally {
      pager.exit(token);
    }
  }

  /** Copies as much of a value as fits; returns its length, or -1 if the key is absent. */
  public int get(EngineTable table, byte[] key, MemorySegment target) {
    int token = pager.enter();
    try {
      return Reads.get(pager, root(table), key, target);
    } catch (RuntimeException | InternalError problem) {
      throw store.translate(problem);
    } finally {
      pager.exit(token);
    }
  }

  /** Whether a key is there. */
  public boolean contains(EngineTable table, byte[] key) {
    int token = pager.enter();
    try {
      return Reads.contains(pager, root(table), key);
    } catch (RuntimeException | InternalError problem) {
      throw store.translate(problem);
    } finally {
      pager.exit(token);
    }
  }

  /** How many entries a table has. */
  public long count(EngineTable table) {
    int token = pager.enter();
    try {
      return root(table).count;
    } finally {
      pager.exit(token);
    }
  }

  /** The table's root as readers see it now; inside a reader slot. */
  private RootEntry root(EngineTable table) {
    store.requireOpen();
    long number = store.published;
    RootEntry root = table.rootAt(number);
    if (root == null || table.isDroppedAt(number)) {
      throw new EngineException(
          Kind.NO_SUCH_TABLE, store.path() + ": table " + table.name() + " was dropped", null);
    }
    return root;
  }

  /** Takes a snapshot of the newest published state. */
  public EngineSnapshot beginSnapshot() {
    store.requireOpen();
    return EngineSnapshot.begin(store, views);
  }

  // ------------------------------------------------------------------ commits

  private CommitLevel level(CommitLevel asked) {
    return asked == null ? store.options.commitLevel() : asked;
  }

  /** Stores a value; returns once that is durable at the level and published. */
  public void put(EngineTable table, byte[] key, byte[] value, CommitLevel level) {
    store.requireWritable();
    committer.put(table, key, value, level(level));
  }

  /** Deletes a key; returns whether it was there. */
  public boolean delete(EngineTable table, byte[] key, CommitLevel level) {
    store.requireWritable();
    return committer.delete(table, key, level(level));
  }

  /** Deletes a range, its lower bound inclusive; null is no bound. Returns how many entries. */
  public long deleteRange(EngineTable table, byte[] from, byte[] to, CommitLevel level) {
    store.requireWritable();
    return committer.deleteRange(table, from, to, level(level));
  }

  /** Carries out all operations or none. */
  public void write(OperationBuffer operations, CommitLevel level) {
    store.requireWritable();
    committer.write(operations, level(level));
  }

  // ------------------------------------------------------------------ care

  /** Takes a checkpoint and waits for it. */
  public void checkpoint() {
    store.requireWritable();
    checkpointer.checkpoint();
  }

  /** Checks everything that is published, and the map of free space against it. */
  public VerifyResult verify() {
    store.requireOpen();
    try {
      return Verifier.verify(
          store, checkpointer == null ? closing::whileOpen : checkpointer::whileNoneRuns);
    } catch (RuntimeException | InternalError problem) {
      throw store.translate(problem);
    }
  }

  /** Walks a whole table and measures it. */
  public TableDetails details(EngineTable table) {
    store.commitLock.lock();
    try {
      store.requireOpen();
      store.tables.closeOpenLeaves();
    } finally {
      store.commitLock.unlock();
    }
    try (EngineSnapshot snapshot = beginSnapshot()) {
      return TableWalk.measure(store, snapshot, table);
    } catch (RuntimeException | InternalError problem) {
      throw store.translate(problem);
    }
  }

  /** Sizes and counters. */
  public EngineStats stats() {
    store.requireOpen();
    Meta meta = store.checkpointWriter.durableMeta();
    store.commitLock.lock();
    try {
      return stats(meta);
    } finally {
      store.commitLock.unlock();
    }
  }

  private EngineStats stats(Meta meta) {
    long oldest = pager.snapshots().oldest();
    long filePages = pager.filePages();
    long regions = (filePages + FileFormat.REGION_PAGES - 1) / FileFormat.REGION_PAGES;
    return new EngineStats(
        FileFormat.VERSION,
        PageFormat.PAGE_BYTES,
        filePages * PageFormat.PAGE_BYTES,
        filePages,
        pager.freePages(),
        2,
        2 * regions,
        pager.catalogPageCount(),
        store.log == null ? 0 : store.log.bytesInUse(),
        store.log == null ? 0 : store.log.fileCount(),
        store.log == null ? 0 : store.log.fileCount() * store.options.slotBytes(),
        store.published,
        meta.checkpointNumber(),
        meta.checkpointMillis(),
        checkpointer == null ? 0 : checkpointer.checkpoints(),
        pager.snapshots().openCount(),
        oldest == Long.MAX_VALUE ? -1 : oldest,
        (long) pager.frameCount() * PageFormat.PAGE_BYTES,
        (long) pager.framesInUse() * PageFormat.PAGE_BYTES,
        pager.evictedPages(),
        group.syncs());
  }

  /** Commits that the opening replayed from the log. */
  public long replayedCommits() {
    return replayedCommits;
  }

  /** Slots of the log begun since the opening. */
  public long logSlotsBegun() {
    return store.log == null ? 0 : store.log.nextSlotNumber() - firstSlotNumber;
  }

  /** Checkpoints that a trigger, not a caller, asked for. */
  public long triggeredCheckpoints() {
    return checkpointer == null ? 0 : checkpointer.triggeredCheckpoints();
  }

  /** Files under names of the log that are not this database's; they are left alone. */
  public List<Path> foreignLogs() {
    return foreignLogs;
  }

  /** Why the newest background work did not succeed; null if it did. */
  public RuntimeException backgroundFailure() {
    return checkpointer == null ? null : checkpointer.lastFailure();
  }

  /**
   * Closes the database: refuses new work, waits for what is under way, takes a last checkpoint,
   * gives everything back. A second call does nothing.
   *
   * @throws EngineException if the last checkpoint failed; everything is closed all the same, and
   *     the log has what the checkpoint lacks
   */
  @Override
  public void close() {
    try {
      closing.close();
    } catch (NativeCallException | IllegalStateException problem) {
      throw Problems.translate(store.path(), problem);
    }
  }
}
