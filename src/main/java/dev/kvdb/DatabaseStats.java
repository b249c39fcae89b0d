package dev.kvdb;

import dev.kvdb.engine.EngineStats;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Sizes and counters of an open database, cheap to ask for; see {@link Database#stats()}. Counters
 * begin with the open. Immutable: the values of one moment. What needs a walk over a table is in
 * {@link TableStats}.
 */
public final class DatabaseStats {
  private final EngineStats stats;

  DatabaseStats(EngineStats stats) {
    this.stats = stats;
  }

  /** The version of the file's format. */
  public int formatVersion() {
    return stats.formatVersion();
  }

  /** The size of a page in bytes. */
  public int pageBytes() {
    return stats.pageBytes();
  }

  /** The length of the page file in bytes. */
  public long fileBytes() {
    return stats.fileBytes();
  }

  /** How many pages the page file has. */
  public long pages() {
    return stats.pages();
  }

  /** How many of them are free. */
  public long freePages() {
    return stats.freePages();
  }

  /** How many pages hold the database's own state (two). */
  public long metaPages() {
    return stats.metaPages();
  }

  /** How many pages hold the map of free pages. */
  public long spaceMapPages() {
    return stats.spaceMapPages();
  }

  /** How many pages hold the list of tables. */
  public long catalogPages() {
    return stats.catalogPages();
  }

  /** The bytes of log that the next open would replay. */
  public long logBytes() {
    return stats.logBytes();
  }

  /** How many log files lie beside the page file. */
  public int logFiles() {
    return stats.logFiles();
  }

  /** The bytes of all log files together. */
  public long logFileBytes() {
    return stats.logFileBytes();
  }

  /** The number of the newest published commit. */
  public long commitNumber() {
    return stats.commitNumber();
  }

  /** The number of the last durable checkpoint. */
  public long lastCheckpointNumber() {
    return stats.lastCheckpointNumber();
  }

  /** When the last durable checkpoint was made; empty if the file does not say. */
  public Optional<Instant> lastCheckpointTime() {
    return stats.lastCheckpointMillis() > 0
        ? Optional.of(Instant.ofEpochMilli(stats.lastCheckpointMillis()))
        : Optional.empty();
  }

  /** How many checkpoints this open has made. */
  public long checkpoints() {
    return stats.checkpoints();
  }

  /** How many snapshots are open. */
  public int openSnapshots() {
    return stats.openSnapshots();
  }

  /** The commit number of the oldest open snapshot; empty if none is open. */
  public OptionalLong oldestSnapshot() {
    return stats.oldestSnapshot() >= 0
        ? OptionalLong.of(stats.oldestSnapshot())
        : OptionalLong.empty();
  }

  /** The size of the pool of changed pages in bytes. */
  public long poolBytes() {
    return stats.poolBytes();
  }

  /** How much of the pool is in use, in bytes. */
  public long poolBytesUsed() {
    return stats.poolBytesUsed();
  }

  /** How many changed pages this open has written early to make room in the pool. */
  public long evictions() {
    return stats.evictions();
  }

  /** How many times this open has flushed the log for commits. */
  public long syncs() {
    return stats.syncs();
  }

  @Override
  public String toString() {
    return stats.toString();
  }
}
