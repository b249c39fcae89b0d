package dev.kvdb.engine;

import dev.kvdb.engine.EngineException.Kind;
import dev.kvdb.nativecalls.NativeCallException;
import dev.kvdb.nativecalls.NativeCalls;
import dev.kvdb.nativecalls.NativeCalls.FileStatus;
import dev.kvdb.nativecalls.NativeCalls.OpenMode;
import dev.kvdb.pager.Failpoint;
import dev.kvdb.pager.NewPageFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The page file as an open finds or makes it: named by its real path, locked against others.
 *
 * <p>A new file is built under one fixed temporary name and linked to its own name when it is whole
 * and durable, so no open ever sees half a database (I-16). The lock is taken before anything is
 * changed and kept through link and unlink.
 */
final class DatabaseFile {
  /** What is appended to a database's name while it is being created. */
  static final String TEMPORARY_SUFFIX = "-new";

  private static final int ATTEMPTS = 16;

  private record FileKey(long device, long inode) {}

  /** The files open in this JVM; flock alone would not do on file systems that lock per process. */
  private static final Map<FileKey, Integer> OPEN = new HashMap<>();

  private static final int EXCLUSIVE = -1;

  private final NativeCalls calls;
  private final Path path;
  private final int descriptor;
  private final FileKey key;
  private final boolean readOnly;
  private final boolean created;

  private DatabaseFile(
      NativeCalls calls,
      Path path,
      int descriptor,
      FileKey key,
      boolean readOnly,
      boolean created) {
    this.calls = calls;
    this.path = path;
    this.descriptor = descriptor;
    this.key = key;
    this.readOnly = readOnly;
    this.created = created;
  }

  Path path() {
    return path;
  }

  int descriptor() {
    return descriptor;
  }

  /** Whether this open made the file. */
  boolean isCreated() {
    return created;
  }

  /** Opens or creates the file at a path and locks it. */
  static DatabaseFile open(NativeCalls calls, Path asked, boolean create, boolean readOnly) {
    Path path = realPath(asked);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      FileStatus status = calls.status(path);
      DatabaseFile file;
      if (status != null) {
        file = openExisting(calls, path, readOnly);
      } else if (create && !readOnly) {
        file = createNew(calls, path);
      } else {
        throw new EngineException(
            Kind.NOT_FOUND, path + ": there is no database here (check the path)", null);
      }
      if (file != null) {
        return file;
      }
    }
    throw new EngineException(
        Kind.LOCKED,
        path + ": other processes keep creating or replacing it (try again when they are done)",
        null);
  }

  /** Log files are found by the database's name, so all ways to it must lead to one name. */
  private static Path realPath(Path asked) {
    Path absolute = asked.toAbsolutePath();
    try {
      if (Files.exists(absolute)) {
        return absolute.toRealPath();
      }
      Path parent = absolute.normalize().getParent();
      if (parent == null || !Files.isDirectory(parent)) {
        throw new EngineException(
            Kind.NOT_FOUND, asked + ": its folder does not exist (create the folder first)", null);
      }
      if (Files.isSymbolicLink(absolute)) {
        throw new EngineException(
            Kind.NOT_FOUND, asked + ": a symbolic link that leads nowhere (remove it)", null);
      }
      return parent.toRealPath().resolve(absolute.normalize().getFileName());
    } catch (IOException e) {
      throw new EngineException(Kind.IO, asked + ": cannot resolve the path: " + e.getMessage(), e);
    }
  }

  private static Path temporary(Path path) {
    return path.resolveSibling(path.getFileName() + TEMPORARY_SUFFIX);
  }

  private static DatabaseFile openExisting(NativeCalls calls, Path path, boolean readOnly) {
    int descriptor = calls.open(path, readOnly ? OpenMode.READ_ONLY : OpenMode.READ_WRITE);
    DatabaseFile file = null;
    try {
      FileStatus status = calls.status(descriptor);
      if (!status.isRegularFile()) {
        throw new EngineException(
            Kind.UNSUPPORTED, path + ": not a regular file, so no kvdb database", null);
      }
      file = lock(calls, path, descriptor, status, readOnly, false);
      FileStatus named = calls.status(path);
      if (named == null || !named.isSameFile(status)) {
        return null; // replaced between open and lock: look again
      }
      file.settleLinks();
      if (!readOnly) {
        // A name that a killed process made may not be durable yet.
        calls.syncDirectory(path.getParent());
      }
      DatabaseFile opened = file;
      file = null;
      descriptor = -1;
      return opened;
    } finally {
      if (file != null) {
        file.close();
      } else if (descriptor >= 0) {
        calls.close(descriptor);
      }
    }
  }

  /** A second name is the rest of a creation that was cut short, or it is refused. */
  private void settleLinks() {
    FileStatus status = calls.status(descriptor);
    if (status.linkCount() <= 1) {
      return;
    }
    Path temporary = temporary(path);
    FileStatus other = calls.status(temporary);
    if (status.linkCount() != 2 || other == null || !other.isSameFile(status)) {
      throw new EngineException(
          Kind.UNSUPPORTED,
          path
              + ": the file has "
              + status.linkCount()
              + " names, and its log is found by its name (remove the other hard links)",
          null);
    }
    if (!readOnly) {
      calls.unlink(temporary);
      calls.syncDirectory(path.getParent());
    }
  }

  private static DatabaseFile createNew(NativeCalls calls, Path path) {
    Path temporary = temporary(path);
    int descriptor = calls.open(temporary, OpenMode.CREATE);
    DatabaseFile file = null;
    try {
      FileStatus status = calls.status(descriptor);
      file = lock(calls, path, descriptor, status, false, true);
      FileStatus named = calls.status(temporary);
      if (named == null || !named.isSameFile(status) || calls.status(path) != null) {
        return null; // somebody else was quicker
      }
      if (!status.isRegularFile()
          || status.linkCount() != 1
          || !NewPageFile.isUnfinished(calls, descriptor)) {
        throw new EngineException(
            Kind.UNSUPPORTED,
            temporary
                + ": the name is needed to create "
                + path
                + ", but there is something else (move it away, or choose another name)",
            null);
      }
      build(calls, path, temporary, descriptor);
      DatabaseFile built = file;
      file = null;
      descriptor = -1;
      return built;
    } finally {
      if (file != null) {
        file.close();
      } else if (descriptor >= 0) {
        calls.close(descriptor);
      }
    }
  }

  private static void build(NativeCalls calls, Path path, Path temporary, int descriptor) {
    try {
      calls.truncate(descriptor, 0);
      NewPageFile.write(calls, descriptor);
    } catch (NativeCallException failure) {
      calls.unlink(temporary);
      throw failure;
    }
    Failpoint.reach("create.built");
    calls.link(temporary, path);
    Failpoint.reach("create.linked");
    calls.unlink(temporary);
    calls.syncDirectory(path.getParent());
    Failpoint.reach("create.done");
  }

  private static DatabaseFile lock(
      NativeCalls calls,
      Path path,
      int descriptor,
      FileStatus status,
      boolean readOnly,
      boolean created) {
    FileKey key = new FileKey(status.device(), status.inode());
    synchronized (OPEN) {
      int holders = OPEN.getOrDefault(key, 0);
      if (holders == EXCLUSIVE || (holders > 0 && !readOnly)) {
        throw new EngineException(
            Kind.LOCKED,
            path + ": already open in this process (close it there, or share the Database)",
            null,
            ProcessHandle.current().pid());
      }
      if (!calls.tryLock(descriptor, !readOnly)) {
        long pid = LockHolder.find(status);
        throw new EngineException(
            Kind.LOCKED,
            path
                + ": another process has it open"
                + (readOnly ? " for writing" : "")
                + (pid < 0 ? "" : ", process " + pid)
                + " (close it there first)",
            null,
            pid);
      }
      OPEN.put(key, readOnly ? holders + 1 : EXCLUSIVE);
    }
    return new DatabaseFile(calls, path, descriptor, key, readOnly, created);
  }

  /** Lets go of the lock and the descriptor. */
  void close() {
    synchronized (OPEN) {
      int holders = OPEN.get(key);
      if (holders == EXCLUSIVE || holders == 1) {
        OPEN.remove(key);
      } else {
        OPEN.put(key, holders - 1);
      }
    }
    calls.close(descriptor);
  }
}
