package dev.kvdb.engine;

import dev.kvdb.log.Log;
import dev.kvdb.log.LogDirectory;
import dev.kvdb.log.LogIdentity;
import dev.kvdb.log.LogOptions;
import dev.kvdb.log.LogPosition;
import dev.kvdb.log.LogReader;
import dev.kvdb.nativecalls.NativeCalls;
import java.nio.file.Path;

/** Makes the log's reader and writer; tests put weaker ones in to show that they are noticed. */
class LogRules {
  static final LogRules STRICT = new LogRules();

  LogReader reader(NativeCalls calls, LogDirectory logs, LogPosition start) {
    return LogReader.open(calls, logs, start);
  }

  Log log(
      NativeCalls calls,
      Path pageFile,
      LogIdentity identity,
      LogOptions options,
      LogDirectory logs,
      long nextSlotNumber,
      long nextLsn) {
    return new Log(calls, pageFile, identity, options, logs, nextSlotNumber, nextLsn);
  }
}
