package dev.kvdb.disk;

/** The kinds of call a {@link SimulatedDisk} tells apart. */
public enum Kind {
  /** A file placed by the test itself, durable at once ({@link SimulatedDisk#putFile}). */
  PUT(true),
  /** An open that made a new, empty file. */
  CREATE(true),
  /** A write at an offset. */
  WRITE(true),
  /** A store into a shared mapping. */
  STORE(true),
  /** An allocation of blocks, which may make the file longer. */
  ALLOCATE(true),
  /** A change of a file's length. */
  TRUNCATE(true),
  /** A flush of a file's contents and length. */
  FLUSH(true),
  /** A hand-over of mapped bytes to the drive. */
  MSYNC(true),
  /** A second name for a file. */
  LINK(true),
  /** A change of name. */
  RENAME(true),
  /** The removal of a name. */
  UNLINK(true),
  /** A flush of a directory's names. */
  DIRSYNC(true),
  /** An open that made nothing; not recorded, fails only when named. */
  OPEN(false),
  /** A read at an offset; not recorded, fails only when named. */
  READ(false);

  private final boolean recorded;

  Kind(boolean recorded) {
    this.recorded = recorded;
  }

  /** Whether calls of this kind are part of the history, and so are cut points. */
  public boolean isRecorded() {
    return recorded;
  }
}
