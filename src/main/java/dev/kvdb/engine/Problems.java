package dev.kvdb.engine;

import dev.kvdb.engine.EngineException.Kind;
import dev.kvdb.log.LogDamagedException;
import dev.kvdb.log.LogFailedException;
import dev.kvdb.log.LogMissingException;
import dev.kvdb.nativecalls.NativeCallException;
import dev.kvdb.page.CorruptPageException;
import dev.kvdb.pager.PoolLimitException;
import dev.kvdb.pager.UnsupportedFileException;
import java.nio.file.Path;

/** Turns what the system and the log report into what the user is told. */
final class Problems {
  private Problems() {}

  static RuntimeException translate(Path path, RuntimeException problem) {
    return switch (problem) {
      case EngineException e -> e;
      case NativeCallException e -> translate(path, e);
      case LogDamagedException e ->
          new EngineException(
              Kind.CORRUPT, path + ": " + e.getMessage() + " (restore from a backup)", e);
      case LogMissingException e ->
          new EngineException(
              Kind.LOG_MISSING,
              path + ": " + e.getMessage() + " (put the log files back beside the database)",
              e);
      case LogFailedException e ->
          new EngineException(
              Kind.WRITES_REFUSED,
              path + ": " + e.getMessage() + " (close it and open it again)",
              e);
      case CorruptPageException e ->
          new EngineException(
              Kind.CORRUPT, path + ": " + e.getMessage() + " (restore from a backup)", e);
      case UnsupportedFileException e ->
          new EngineException(Kind.UNSUPPORTED, path + ": " + e.getMessage(), e);
      case PoolLimitException e -> new EngineException(Kind.LIMIT, path + ": " + e.getMessage(), e);
      default -> problem;
    };
  }

  private static EngineException translate(Path path, NativeCallException problem) {
    return problem.isOutOfSpace()
        ? new EngineException(
            Kind.OUT_OF_SPACE,
            path
                + ": the disk or a quota is full: "
                + problem.getMessage()
                + " (make room, try again)",
            problem)
        : new EngineException(Kind.IO, path + ": " + problem.getMessage(), problem);
  }
}
