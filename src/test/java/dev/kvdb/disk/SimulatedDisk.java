package dev.kvdb.disk;

import dev.kvdb.disk.DiskState.FileState;
import dev.kvdb.disk.FaultPlan.Failure;
import dev.kvdb.nativecalls.NativeCallException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A disk that remembers what it was told in which order, and shows what a power cut or a killed
 * process would have left of it.
 *
 * <p>The files are real ones in a directory of its own ({@link #directory}), in memory where the
 * system has a place for that; reads, mappings and locks go to the real files. Beside them the disk
 * keeps its history: one line of operations, in the order in which they completed, each changing
 * call one operation and one <i>cut point</i>. {@link #cut} and {@link #kill} make an image of what
 * is left after the first so many operations, {@link #from} makes a disk of an image, so that
 * <i>kill, reopen, cut</i> and the like follow by composition.
 *
 * <h2>What a power cut takes</h2>
 *
 * <ul>
 *   <li>Everything done to a file before a completed flush of it <em>began</em> is there.
 *   <li>Of what was done later any set is there, whatever the order; a later write may survive an
 *       earlier one. Each write may be torn: any set of its sectors of 512 bytes is there.
 *   <li>A file's length is any it had since the flush, or the one it had then. The bytes of a write
 *       and the length it gave the file survive each without the other: bytes behind the length that
 *       survived are gone, blocks that survived without their bytes read as zeros. A truncation that
 *       is lost leaves the old bytes, also for a later extension that survives.
 *   <li>Each name leads where it led when its directory was last synced, or where any later change
 *       led it. Changes survive independently, in no order; only a rename within one directory never
 *       takes away the old name without having made the new one. To flush a file does not make its
 *       name durable, to sync a directory makes no file's content durable.
 *   <li>A store into a mapping is a write. To hand it over (msync, {@link MappedFile#sync}) makes
 *       nothing durable; a flush does.
 *   <li>A flush that fails forgets what it should have written: it stays readable until the power
 *       goes, and no later flush makes it durable; only writing it again and flushing does.
 *   <li>What was durable stays readable and unchanged.
 * </ul>
 *
 * <p>A killed process takes nothing: all that was written or stored is there, and what was not yet
 * durable can be taken by a later cut unless it was flushed in the meantime. The rules are those of
 * {@link Drive#LINUX}; {@link Drive#DARWIN} has weaker flushes.
 *
 * <p>Not simulated: waiting, contents that rot, stale bytes of other files in new blocks, and all
 * that is done to the directory by other means than these calls; use {@link #putFile} for that.
 * Blocks are counted only while the disk is full: then writes and stores need blocks that were
 * allocated or written before.
 *
 * <p>Thread-safe: one lock makes the order. A flush holds it only at its beginning and its end.
 * After {@link #close()} every call fails.
 */
public final class SimulatedDisk extends CountedCalls implements AutoCloseable {
  /** Does a changing call as far as it is to be done, and says what it did. */
  @FunctionalInterface
  interface Change {
    Operation perform(int index, Effect effect);
  }

  private final Drive drive;
  private final History history;
  private final Set<String> directories;
  private final Object lock = new Object();
  private final FaultPlan faults = new FaultPlan();
  private final Map<String, LiveFile> files = new HashMap<>();
  private int nextFileNumber;
  private int stopAt = Integer.MAX_VALUE;
  private boolean full;
  private boolean closed;
  private volatile Runnable duringFlush = () -> {};

  private SimulatedDisk(DiskState state) {
    super(new Scratch(state));
    drive = state.drive();
    history = new History(state);
    directories = new HashSet<>(state.directories());
    nextFileNumber = state.nextFileNumber();
    Map<Integer, LiveFile> byNumber = new HashMap<>();
    for (Map.Entry<String, Integer> entry : state.visibleNames().entrySet()) {
      FileState file = state.file(entry.getValue());
      files.put(
          entry.getKey(),
          byNumber.computeIfAbsent(
              entry.getValue(), number -> new LiveFile(number, file.visible().size())));
    }
  }

  /** An empty disk. */
  public static SimulatedDisk create() {
    return create(Drive.LINUX);
  }

  /** An empty disk of a system whose flushes mean what {@code drive} says. */
  public static SimulatedDisk create(Drive drive) {
    return new SimulatedDisk(new DiskState(drive));
  }

  /** A disk that holds what an image shows, with an empty history. */
  public static SimulatedDisk from(CrashImage image) {
    return new SimulatedDisk(image.state().copyForNewHistory());
  }

  // ---- What a test does with the disk.

  /** The directory that the disk is; a real path. Only files in it may be named. */
  public Path directory() {
    return scratch.directory();
  }

  /** The path of a name in the directory. */
  public Path path(String name) {
    return directory().resolve(name);
  }

  /** Makes a directory, durable at once. */
  public void makeDirectory(String name) {
    synchronized (lock) {
      if (history.size() > 0) {
        throw new IllegalStateException("directories are made before the first operation");
      }
      makeRealDirectory(name);
      directories.add(name);
      history.addDirectory(name);
    }
  }

  private void makeRealDirectory(String name) {
    try {
      Files.createDirectory(path(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Places a file, durable at once with its name. It must not exist. */
  public void putFile(String name, byte[] content) {
    synchronized (lock) {
      if (files.containsKey(name)) {
        throw new IllegalStateException(name + " exists");
      }
      try {
        Files.write(path(name), content);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      LiveFile file = new LiveFile(nextFileNumber++, content.length);
      files.put(name, file);
      history.add(
          Operation.data(
              history.size(), Kind.PUT, file.number(), name, 0, content.clone(), content.length));
    }
  }

  /** Notes something in the history, for example that a commit was acknowledged. */
  public void mark(Object value) {
    synchronized (lock) {
      history.mark(value);
    }
  }

  /** How many operations were recorded; each number from 0 to this is a cut point. */
  public int operationCount() {
    return history.size();
  }

  /** All operations so far. */
  public List<Operation> operations() {
    return history.operations();
  }

  /** All marks so far. */
  public List<Mark> marks() {
    return history.marks();
  }

  /** What was noted until the operation after the first {@code operations} ones began. */
  public List<Object> marksBefore(int operations) {
    return history.marksBefore(operations);
  }

  /** A cut point in words. */
  public String describe(int operations) {
    return history.describe(operations);
  }

  /** What a power cut after the first {@code operations} operations could leave. */
  public CrashImage cut(int operations, ImageChoice choice) {
    return history.cut(operations, choice);
  }

  /** What is left when the process is killed after the first {@code operations} operations. */
  public CrashImage kill(int operations) {
    return history.kill(operations);
  }

  /** As the other {@code failCall}, with no effect. */
  public void failCall(int nth, String errnoName, Kind... kinds) {
    failCall(nth, errnoName, Effect.NONE, kinds);
  }

  /**
   * Makes one call fail. A store fails with an {@link InternalError}, whatever the name says.
   *
   * @param nth which from now on, from 1, of those of the given kinds
   * @param errnoName the error, for example {@code "EIO"}
   * @param effect how much of the call is done all the same
   * @param kinds the kinds that count; none given: all that are recorded
   */
  public void failCall(int nth, String errnoName, Effect effect, Kind... kinds) {
    synchronized (lock) {
      faults.add(nth, false, errnoName, effect, kinds);
    }
  }

  /** As {@code failCall}, for that call and all later ones until {@link #clearFailures}. */
  public void failFrom(int nth, String errnoName, Effect effect, Kind... kinds) {
    synchronized (lock) {
      faults.add(nth, true, errnoName, effect, kinds);
    }
  }

  /** No planned failure happens any more. */
  public void clearFailures() {
    synchronized (lock) {
      faults.clear();
    }
  }

  /**
   * Fills the disk, or makes room again. On a full disk whatever needs a block that is not there yet
   * does what it can with those that are, and fails: with ENOSPC, a store with an InternalError.
   */
  public void fullDisk(boolean isFull) {
    synchronized (lock) {
      full = isFull;
    }
  }

  /** After so many further recorded operations every changing call throws {@link DiskStopped}. */
  public void stopAfter(int operations) {
    synchronized (lock) {
      stopAt = history.size() + operations;
    }
  }

  /** Runs something within every flush of a file or directory, on its thread, without the lock. */
  public void duringFlush(Runnable action) {
    duringFlush = action;
  }

  /** Closes and unmaps what was left open, and deletes the directory. */
  @Override
  public void close() {
    synchronized (lock) {
      if (closed) {
        return;
      }
      closed = true;
    }
    releaseAll();
    scratch.delete();
  }

  // ---- Changing calls: recorded, and made to fail.

  /** Does one changing call under the lock and records it; throws if it was to fail. */
  void change(Kind kind, String call, Change change) {
    synchronized (lock) {
      refuseIfStopped(kind);
      Failure failure = faults.take(kind);
      Effect effect = failure == null ? Effect.WHOLE : failure.effect();
      Operation operation = change.perform(history.size(), effect);
      if (failure != null) {
        Effect done = operation.effect() == Effect.NONE ? Effect.NONE : effect;
        operation = operation.failedWith(failure.errnoName(), done);
      }
      history.add(operation);
      if (!operation.failed()) {
        return;
      }
      if (kind == Kind.STORE) {
        throw new InternalError("a simulated fault occurred in " + operation);
      }
      throw FaultPlan.exception(call, operation.toString(), operation.errnoName());
    }
  }

  @Override
  void refuseIfClosed(String call) {
    synchronized (lock) {
      if (closed) {
        throw new IllegalStateException("the simulated disk is closed; refused: " + call);
      }
    }
  }

  private void refuseIfStopped(Kind kind) {
    refuseIfClosed(kind.name());
    if (history.size() >= stopAt) {
      throw new DiskStopped(kind, history.size());
    }
  }

  /** How many bytes of a range a call reaches. */
  long reach(LiveFile file, long offset, long length, Effect effect) {
    long wanted =
        switch (effect) {
          case NONE -> 0;
          case PARTIAL -> length / 2;
          case WHOLE -> length;
        };
    return full ? Math.min(wanted, file.bytesWithRoom(offset, wanted)) : wanted;
  }

  @Override
  public int open(Path path, OpenMode mode) {
    String name = scratch.nameOf(path);
    synchronized (lock) {
      LiveFile file = files.get(name);
      boolean exists = real.status(path) != null;
      if (!exists && mode == OpenMode.CREATE) {
        return create(path, name);
      }
      failIfPlanned(Kind.OPEN, "open", name);
      numberOf(name);
      return openReal(path, mode, new OpenFile(name, file));
    }
  }

  private int create(Path path, String name) {
    LiveFile file = new LiveFile(nextFileNumber++, 0);
    int[] descriptor = {-1};
    try {
      change(
          Kind.CREATE,
          "open",
          (index, effect) -> {
            if (effect != Effect.NONE) {
              descriptor[0] = openReal(path, OpenMode.CREATE, new OpenFile(name, file));
              files.put(name, file);
            }
            return Operation.name(index, Kind.CREATE, file.number(), name, null);
          });
    } catch (NativeCallException e) {
      if (descriptor[0] >= 0) {
        close(descriptor[0]);
      }
      throw e;
    }
    return descriptor[0];
  }

  @Override
  void failIfPlanned(Kind kind, String call, String subject) {
    synchronized (lock) {
      Failure failure = faults.take(kind);
      if (failure != null) {
        throw FaultPlan.exception(call, subject, failure.errnoName());
      }
    }
  }

  @Override
  public void truncate(int descriptor, long size) {
    OpenFile open = openedFile(descriptor, "ftruncate");
    change(
        Kind.TRUNCATE,
        "ftruncate",
        (index, effect) -> {
          if (effect != Effect.NONE) {
            real.truncate(descriptor, size);
            open.file().truncate(size);
          }
          return Operation.range(
              index, Kind.TRUNCATE, open.file().number(), open.name(), 0, 0, size);
        });
  }

  @Override
  public void allocate(int descriptor, long offset, long length) {
    OpenFile open = openedFile(descriptor, "fallocate");
    change(
        Kind.ALLOCATE,
        "fallocate",
        (index, effect) -> {
          LiveFile file = open.file();
          long oldSize = file.size();
          long reached = reach(file, offset, length, effect);
          // The real file is only made longer: in memory there is no block to be short of, and
          // blocks that are not touched cost nothing.
          if (offset + reached > oldSize) {
            real.truncate(descriptor, offset + reached);
          }
          file.growTo(offset, reached);
          long sizeAfter = file.size() == oldSize ? -1 : file.size();
          Operation operation =
              Operation.range(
                  index, Kind.ALLOCATE, file.number(), open.name(), offset, length, sizeAfter);
          return failedIfFull(operation, reached, length, effect);
        });
  }

  /** On a full disk, what was wanted and not reached is an error. */
  private Operation failedIfFull(Operation operation, long reached, long length, Effect effect) {
    return effect == Effect.WHOLE && reached < length
        ? operation.failedWith("ENOSPC", Effect.PARTIAL)
        : operation;
  }

  @Override
  public void write(int descriptor, MemorySegment buffer, long fileOffset) {
    OpenFile open = openedFile(descriptor, "pwrite");
    change(
        Kind.WRITE,
        "pwrite",
        (index, effect) -> {
          LiveFile file = open.file();
          long length = buffer.byteSize();
          long oldSize = file.size();
          long reached = reach(file, fileOffset, length, effect);
          MemorySegment part = buffer.asSlice(0, reached);
          real.write(descriptor, part, fileOffset);
          file.growTo(fileOffset, reached);
          long sizeAfter = file.size() == oldSize ? -1 : file.size();
          byte[] data = part.toArray(ValueLayout.JAVA_BYTE);
          Operation operation =
              Operation.data(
                  index, Kind.WRITE, file.number(), open.name(), fileOffset, data, sizeAfter);
          return failedIfFull(operation, reached, length, effect);
        });
  }

  @Override
  void store(
      RecordedMapping mapping, long offset, byte[] source, int sourceOffset, int length) {
    Objects.checkFromIndexSize(offset, length, mapping.size());
    Objects.checkFromIndexSize(sourceOffset, length, source.length);
    change(
        Kind.STORE,
        "store",
        (index, effect) -> {
          LiveFile file = mapping.file();
          long toEnd = Math.max(0, file.size() - offset);
          int reached = (int) Math.min(reach(file, offset, length, effect), toEnd);
          mapping.storeReal(offset, source, sourceOffset, reached);
          file.growTo(offset, reached);
          byte[] data = Arrays.copyOfRange(source, sourceOffset, sourceOffset + reached);
          Operation operation =
              Operation.data(
                  index, Kind.STORE, file.number(), mapping.name(), offset, data, -1);
          return failedIfFull(operation, reached, length, effect);
        });
  }

  @Override
  public boolean flush(int descriptor, FlushLevel level) {
    OpenFile open = opened(descriptor, "fdatasync");
    if (open.file() == null) {
      syncDirectory(path(open.name()));
      return true;
    }
    int begun = beginFlush(Kind.FLUSH);
    change(
        Kind.FLUSH,
        "fdatasync",
        (index, effect) ->
            Operation.flush(index, Kind.FLUSH, open.file().number(), open.name(), level, begun));
    return drive.survivesPowerCut(level);
  }

  @Override
  public void syncDirectory(Path directory) {
    String name = scratch.nameOf(directory);
    if (!directories.contains(name)) {
      throw FaultPlan.exception("open", directory.toString(), "ENOENT");
    }
    int begun = beginFlush(Kind.DIRSYNC);
    change(
        Kind.DIRSYNC,
        "fsync",
        (index, effect) -> Operation.flush(index, Kind.DIRSYNC, -1, name, null, begun));
  }

  /** What completes from here on is not covered. */
  private int beginFlush(Kind kind) {
    int begun;
    synchronized (lock) {
      refuseIfStopped(kind);
      begun = history.size();
    }
    duringFlush.run();
    return begun;
  }

  @Override
  public void link(Path existing, Path newName) {
    String from = scratch.nameOf(existing);
    String to = scratch.nameOf(newName);
    change(
        Kind.LINK,
        "link",
        (index, effect) -> {
          Operation operation = Operation.name(index, Kind.LINK, numberOf(from), from, to);
          if (effect != Effect.NONE) {
            real.link(existing, newName);
            files.put(to, files.get(from));
          }
          return operation;
        });
  }

  @Override
  public void rename(Path from, Path to) {
    String oldName = scratch.nameOf(from);
    String newName = scratch.nameOf(to);
    change(
        Kind.RENAME,
        "rename",
        (index, effect) -> {
          LiveFile file = files.get(oldName);
          Operation operation =
              Operation.name(index, Kind.RENAME, numberOf(oldName), oldName, newName);
          if (effect == Effect.NONE) {
            return operation;
          }
          real.rename(from, to);
          if (file == files.get(newName)) {
            // Two names of one file: POSIX asks that nothing happens.
            return operation.withoutEffect();
          }
          files.remove(oldName);
          files.put(newName, file);
          return operation;
        });
  }

  @Override
  public void unlink(Path path) {
    String name = scratch.nameOf(path);
    change(
        Kind.UNLINK,
        "unlink",
        (index, effect) -> {
          int number = numberOf(name);
          if (effect != Effect.NONE) {
            real.unlink(path);
            files.remove(name);
          }
          return Operation.name(index, Kind.UNLINK, number, name, null);
        });
  }

  /** The number of the file a name leads to, -1 if none. */
  private int numberOf(String name) {
    LiveFile file = files.get(name);
    if (file == null && real.status(path(name)) != null && !directories.contains(name)) {
      throw new IllegalStateException(name + " was made behind the back of the simulated disk");
    }
    return file == null ? -1 : file.number();
  }

  @Override
  void handOver(RecordedMapping mapping, long offset, long length) {
    change(
        Kind.MSYNC,
        "msync",
        (index, effect) ->
            Operation.range(
                index, Kind.MSYNC, mapping.file().number(), mapping.name(), offset, length, -1));
  }

  @Override
  public void msync(long address, long size) {
    requireReserved(address, size);
    change(
        Kind.MSYNC,
        "msync",
        (index, effect) ->
            Operation.range(index, Kind.MSYNC, -1, "memory", address, size, -1));
  }

  @Override
  void requireBlocks(RecordedMapping mapping, long offset, long length) {
    synchronized (lock) {
      if (reach(mapping.file(), offset, length, Effect.WHOLE) < length) {
        throw FaultPlan.exception("mmap", mapping.name() + " at " + offset, "EFAULT");
      }
      mapping.file().growTo(offset, Math.min(length, mapping.file().size() - offset));
    }
  }
}
