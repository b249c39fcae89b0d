package dev.kvdb.log;

/**
 * What ended writing, if anything did. The first cause stays. Safe for use by many threads.
 *
 * <p>Two things can end it: a flush that failed, after which nothing may be called durable any
 * more; and a failed record that could not be made invalid, after which nothing may be appended
 * behind it.
 */
final class FailureState {
  private volatile LogFailedException appends;
  private volatile LogFailedException syncs;

  /** Nothing more may be appended or called durable. */
  synchronized LogFailedException failSyncs(String problem, Throwable cause) {
    if (syncs == null) {
      syncs = new LogFailedException(problem, cause);
    }
    if (appends == null) {
      appends = syncs;
    }
    return syncs;
  }

  /** Nothing more may be appended; what was appended before can still be made durable. */
  synchronized LogFailedException failAppends(String problem, Throwable cause) {
    if (appends == null) {
      appends = new LogFailedException(problem, cause);
    }
    return appends;
  }

  void requireAppends() {
    if (appends != null) {
      throw again(appends);
    }
  }

  void requireSyncs() {
    if (syncs != null) {
      throw again(syncs);
    }
  }

  /** The first cause, or null while the log can be written. */
  Throwable cause() {
    LogFailedException failure = appends;
    return failure == null ? null : failure.getCause();
  }

  /** A new exception for each who is refused, with that thread's stack and the first cause. */
  private static LogFailedException again(LogFailedException first) {
    return new LogFailedException(
        "the log can no longer be written; open the database again", first.getCause());
  }
}
