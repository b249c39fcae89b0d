package dev.kvdb.engine;

import dev.kvdb.nativecalls.NativeCalls.FlushLevel;

/** What a commit has to survive before it returns; weaker to stronger. */
public enum CommitLevel {
  /** The death of the process: its bytes are the kernel's. */
  NONE(null),
  /** A crash of the operating system. */
  FSYNC(FlushLevel.FSYNC),
  /** As FSYNC, and the drive keeps the order of commits. */
  BARRIER(FlushLevel.BARRIER),
  /** A power cut. */
  FULL(FlushLevel.FULL);

  private final FlushLevel flush;

  CommitLevel(FlushLevel flush) {
    this.flush = flush;
  }

  /** The flush a commit of this level waits for; null for NONE. */
  public FlushLevel flush() {
    return flush;
  }

  /** The stronger of two levels. */
  CommitLevel strongest(CommitLevel other) {
    return compareTo(other) >= 0 ? this : other;
  }
}
