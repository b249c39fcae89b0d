package dev.kvdb.pager;

/** A file that is not a kvdb page file, or one of a version that this build does not know. */
public final class UnsupportedFileException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnsupportedFileException(String message) {
    super(message);
  }
}
