package dev.kvdb.engine;

import dev.kvdb.nativecalls.NativeCalls.FileStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Finds out which process holds a file lock, where the system tells: a help in messages only. */
final class LockHolder {
  private static final Path LOCKS = Path.of("/proc/locks");
  private static final int PROCESS_FIELD = 4;
  private static final int FILE_FIELD = 5;

  private LockHolder() {}

  /** The process that holds the lock of a file; -1 where that cannot be known. */
  static long find(FileStatus status) {
    List<String> lines;
    try {
      lines = Files.readAllLines(LOCKS);
    } catch (IOException unreadable) {
      return -1; // not Linux, or hidden: the message does without
    }
    for (String line : lines) {
      String[] fields = line.trim().split("\\s+");
      if (fields.length > FILE_FIELD
          && fields[1].equals("FLOCK")
          && fields[FILE_FIELD].endsWith(":" + status.inode())) {
        return Long.parseLong(fields[PROCESS_FIELD]);
      }
    }
    return -1;
  }
}
