package dev.kvdb;

import dev.kvdb.engine.CommitLevel;
import java.util.Locale;

/**
 * What a commit that has returned survives; weaker to stronger.
 *
 * <p>No level can corrupt the database: after a power cut even {@link #NONE} reopens to a
 * consistent prefix of the commits, because checkpoints always use the strongest flush. A level
 * decides only how many of the newest commits such a crash may take.
 *
 * <table>
 *   <caption>What is called before a commit returns</caption>
 *   <tr><th>level</th><th>Linux</th><th>macOS</th></tr>
 *   <tr><td>{@code NONE}</td><td>nothing</td><td>nothing</td></tr>
 *   <tr><td>{@code FSYNC}</td><td>{@code fdatasync}</td><td>{@code fsync}</td></tr>
 *   <tr><td>{@code BARRIER}</td><td>{@code fdatasync}</td><td>{@code fcntl(F_BARRIERFSYNC)}</td></tr>
 *   <tr><td>{@code FULL}</td><td>{@code fdatasync}</td><td>{@code fcntl(F_FULLFSYNC)}</td></tr>
 * </table>
 *
 * <p>On Linux {@code fdatasync} empties the drive's cache too, so the three upper levels are the
 * same there. On macOS {@code fsync} leaves the data in the drive's cache.
 */
public enum Durability {
  /**
   * Survives the death of the process (SIGKILL, a crash of the JVM): the bytes are already the
   * kernel's. A crash of the operating system or a power cut may take the newest commits.
   */
  NONE(CommitLevel.NONE, "nothing", "nothing"),

  /** As {@link #NONE}, and a crash of the operating system. The default. */
  FSYNC(CommitLevel.FSYNC, "fdatasync", "fsync"),

  /** As {@link #FSYNC}, and the drive does not reorder the commit behind later ones. */
  BARRIER(CommitLevel.BARRIER, "fdatasync", "fcntl(F_BARRIERFSYNC)"),

  /** As {@link #FSYNC}, and a power cut. */
  FULL(CommitLevel.FULL, "fdatasync", "fcntl(F_FULLFSYNC)");

  private final CommitLevel commitLevel;
  private final String linuxCall;
  private final String macCall;

  Durability(CommitLevel commitLevel, String linuxCall, String macCall) {
    this.commitLevel = commitLevel;
    this.linuxCall = linuxCall;
    this.macCall = macCall;
  }

  /**
   * The operating system's call that a commit at this level waits for, on the system this JVM runs
   * on.
   *
   * @return its name as in its manual page, {@code "nothing"} for {@link #NONE}
   */
  public String systemCall() {
    String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    return system.startsWith("mac") ? macCall : linuxCall;
  }

  /** The engine's name of this level. */
  CommitLevel commitLevel() {
    return commitLevel;
  }

  /** The engine's name of a level; null (the database's default) stays null. */
  static CommitLevel commitLevelOf(Durability durability) {
    return durability == null ? null : durability.commitLevel;
  }

  /** The level of a {@link CommitLevel}. */
  static Durability of(CommitLevel level) {
    return switch (level) {
      case NONE -> NONE;
      case FSYNC -> FSYNC;
      case BARRIER -> BARRIER;
      case FULL -> FULL;
    };
  }
}
