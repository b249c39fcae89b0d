package dev.kvdb.disk;

import dev.kvdb.disk.DiskState.FileState;
import dev.kvdb.disk.FaultPlan.Failure;
import dev.kvdb.nativecalls.NativeCallException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The calls of a simulated disk that change something: each is done to the real files and recorded
 * under one lock, which makes their order, and fails where it is planned to.
 */
abstract class RecordedCalls extends CountedCalls {
  /** Does a changing call as far as it is to be done, and says what it did. */
  @FunctionalInterface
  interface Change {
    Operation perform(int index, Effect effect);
  }

  private final Drive drive;
  final History history;
  final Set<String> directories;
  final Object lock = new Object();
  final FaultPlan faults = new FaultPlan();
  final Map<String, LiveFile> files = new HashMap<>();
  int nextFileNumber;
  int stopAt = Integer.MAX_VALUE;
  boolean full;
  boolean closed;
  volatile Runnable duringFlush = () -> {};

  RecordedCalls(DiskState state) {
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

  /** The path of a name in the disk's directory. */
  public Path path(String name) {
    return scratch.directory().resolve(name);
  }

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
  void store(RecordedMapping mapping, long offset, byte[] source, int sourceOffset, int length) {
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
              Operation.data(index, Kind.STORE, file.number(), mapping.name(), offset, data, -1);
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
        (index, effect) -> Operation.range(index, Kind.MSYNC, -1, "memory", address, size, -1));
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
