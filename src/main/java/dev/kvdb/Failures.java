package dev.kvdb;

import dev.kvdb.engine.EngineException;

/** The one place that turns the engine's failures into the public exceptions. */
final class Failures {
  private Failures() {}

  /**
   * The public exception for a failure of the engine.
   *
   * @return never null; its message is the engine's, its cause the engine's exception
   */
  static KvdbException of(EngineException failure) {
    String message = failure.getMessage();
    return switch (failure.kind()) {
      case NOT_FOUND -> new DatabaseNotFoundException(message, failure);
      case LOCKED -> new DatabaseLockedException(message, failure, failure.lockedByPid());
      case CLOSED -> new DatabaseClosedException(message, failure);
      case READ_ONLY -> new ReadOnlyDatabaseException(message, failure);
      case WRITES_REFUSED -> new WritesRefusedException(message, failure);
      case CORRUPT -> new CorruptDatabaseException(message, failure);
      case LOG_MISSING -> new LogMissingException(message, failure);
      case UNSUPPORTED -> new UnsupportedDatabaseException(message, failure);
      case LIMIT -> new LimitExceededException(message, failure);
      case OUT_OF_SPACE -> new DiskFullException(message, failure);
      case NO_SUCH_TABLE -> new NoSuchTableException(message, failure);
      case IO -> new KvdbIOException(message, failure);
    };
  }
}
