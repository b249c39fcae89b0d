package dev.kvdb.disk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

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
 *       and the length it gave the file survive each without the other: bytes behind the length
 *       that survived are gone, blocks that survived without their bytes read as zeros. A
 *       truncation that is lost leaves the old bytes, also for a later extension that survives.
 *   <li>Each name leads where it led when its directory was last synced, or where any later change
 *       led it. Changes survive independently, in no order; only a rename within one directory
 *       never takes away the old name without having made the new one. To flush a file does not
 *       make its name durable, to sync a directory makes no file's content durable.
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
 * Blocks matter only while the disk is full: then writes and stores need blocks that were allocated
 * or written before; a disk made of an image has all blocks below the length of each file. A store
 * behind the end of the file faults, also within its last memory page.
 *
 * <p>Thread-safe: one lock makes the order. A flush holds it only at its beginning and its end.
 * After {@link #close()} every call fails.
 */
public final class SimulatedDisk extends RecordedCalls implements AutoCloseable {
  private SimulatedDisk(DiskState state) {
    super(state);
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

  /** The directory that the disk is; a real path. Only files in it may be named. */
  public Path directory() {
    return scratch.directory();
  }

  /** Makes a directory, durable at once. */
  public void makeDirectory(String name) {
    synchronized (lock) {
      if (history.size() > 0) {
        throw new IllegalStateException("directories are made before the first operation");
      }
      try {
        Files.createDirectory(path(name));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      directories.add(name);
      history.addDirectory(name);
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
   * Fills the disk, or makes room again. On a full disk whatever needs a block that is not there
   * yet does what it can with those that are, and fails: with ENOSPC, a store with an
   * InternalError.
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
}
