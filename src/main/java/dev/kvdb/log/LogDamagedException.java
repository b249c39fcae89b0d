package dev.kvdb.log;

import java.nio.file.Path;

/** A log that lacks records which were once known to be durable. Nothing was changed. */
public final class LogDamagedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Path file;
  private final long offset;

  /**
   * @param file the slot file
   * @param offset where the damage begins, in bytes from the start of that file
   * @param problem what was expected and what was found
   */
  public LogDamagedException(Path file, long offset, String problem) {
    super(file + ", offset " + offset + ": " + problem);
    this.file = file;
    this.offset = offset;
  }

  /** The slot file; null after serialization. */
  public Path file() {
    return file;
  }

  /** Where the damage begins, in bytes from the start of the file. */
  public long offset() {
    return offset;
  }
}
