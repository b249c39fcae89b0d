package dev.kvdb.cli;

import dev.kvdb.CorruptDatabaseException;
import dev.kvdb.DatabaseLockedException;
import dev.kvdb.DatabaseNotFoundException;
import dev.kvdb.KvdbException;
import dev.kvdb.UnsupportedDatabaseException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.OptionalLong;

/** Turns each failure into one line on standard error and an exit status. */
final class ErrorReport {
  private final PrintStream err;

  ErrorReport(PrintStream err) {
    this.err = err;
  }

  /** Reports the failure of a command. */
  int report(Object command, Throwable failure) {
    return switch (command) {
      case DatabaseCommand c -> report(c.databaseFile, failure, c.options.stacktrace);
      case DemoCommand c -> report(c.databaseFile(), failure, c.options.stacktrace);
      case VersionCommand c -> report(null, failure, c.options.stacktrace);
      default -> report(null, failure, false);
    };
  }

  /**
   * Reports a failure.
   *
   * @param database the database it is about, null if it is about none
   * @return the exit status it ends with
   */
  int report(Path database, Throwable failure, boolean stacktrace) {
    if (failure instanceof OutputException e && e.isClosedPipe()) {
      return ExitStatus.CLOSED_PIPE;
    }
    String about = database == null || failure instanceof OutputException ? "" : database + ": ";
    err.println("kvdb: " + about + oneLine(withoutName(database, message(database, failure))));
    if (stacktrace) {
      failure.printStackTrace(err);
    }
    return exitStatus(failure);
  }

  private static int exitStatus(Throwable failure) {
    return switch (failure) {
      case CliException e -> e.exitStatus();
      case DatabaseLockedException e -> ExitStatus.LOCKED;
      case CorruptDatabaseException e -> ExitStatus.DAMAGED;
      case UnsupportedDatabaseException e -> ExitStatus.DAMAGED;
      case InterruptedException e -> ExitStatus.INTERRUPTED;
      default -> ExitStatus.FAILURE;
    };
  }

  private static String message(Path database, Throwable failure) {
    String message =
        switch (failure) {
          case DatabaseLockedException e -> lockedMessage(e.ownerPid());
          case DatabaseNotFoundException e -> notFoundMessage(database, e);
          case NoSuchFileException e -> e.getFile() + ": there is no such file";
          case AccessDeniedException e -> e.getFile() + ": access is denied";
          case FileSystemException e -> fileMessage(e);
          case InterruptedException e -> "interrupted";
          case OutOfMemoryError e -> "out of memory (give Java more with -Xmx)";
          case CliException e -> e.getMessage();
          case KvdbException e -> e.getMessage();
          case OutputException e -> e.getMessage();
          case IllegalArgumentException e -> e.getMessage();
          case UnsupportedOperationException e -> e.getMessage();
          case IOException e -> e.getMessage();
          default -> null;
        };
    return message != null ? message : failure + " (an error of kvdb itself; see --stacktrace)";
  }

  private static String fileMessage(FileSystemException failure) {
    String reason = failure.getReason();
    return failure.getFile()
        + ": "
        + (reason != null ? reason : failure.getClass().getSimpleName());
  }

  private static String lockedMessage(OptionalLong pid) {
    return pid.isPresent()
        ? "the database is in use by process " + pid.getAsLong() + " (wait until that has ended)"
        : "the database is in use by another process (wait until that has ended)";
  }

  private static String notFoundMessage(Path database, DatabaseNotFoundException failure) {
    if (database == null) {
      return failure.getMessage();
    }
    Path folder = database.toAbsolutePath().getParent();
    return folder == null || Files.isDirectory(folder)
        ? "there is no database (kvdb put and kvdb load create one)"
        : "there is no folder " + folder + " (create it first)";
  }

  /** Most messages of kvdb begin with the file, which the line names already. */
  private static String withoutName(Path database, String message) {
    if (database == null) {
      return message;
    }
    for (Path form : new Path[] {database, database.toAbsolutePath(), realPath(database)}) {
      String name = form + ": ";
      if (message.startsWith(name)) {
        return message.substring(name.length());
      }
    }
    return message;
  }

  private static Path realPath(Path database) {
    try {
      return database.toRealPath();
    } catch (IOException e) {
      // There is no file of that name, so no message can call it by its real name.
      return database;
    }
  }

  /** A message with every line break and control character replaced. */
  static String oneLine(String message) {
    return message == null ? "" : message.strip().replaceAll("\\p{Cntrl}+", " ");
  }
}
