package dev.kvdb.log;

import dev.kvdb.nativecalls.NativeCalls;
import java.nio.file.Path;
import java.security.SecureRandom;

/** Logs with a bug planted, for tests that show that the bug would be noticed. */
public final class WeakerLogs {
  private WeakerLogs() {}

  /** A log that, where it is mapped, takes a store for done before a fault can have come. */
  public static Log withoutPoll(
      NativeCalls calls,
      Path pageFile,
      LogIdentity identity,
      LogOptions options,
      LogDirectory directory,
      long nextSlotNumber,
      long nextLsn) {
    return new Log(
        calls,
        pageFile,
        identity,
        options,
        directory,
        nextSlotNumber,
        nextLsn,
        new SecureRandom()::nextLong,
        WeakerLogs::appenderWithoutPoll);
  }

  private static MappedAppender appenderWithoutPoll(
      NativeCalls calls, long slotBytes, Appender fallback, FailureState failure) {
    return new MappedAppender(calls, slotBytes, fallback, failure) {
      @Override
      void poll() {
        // The bug.
      }
    };
  }
}
