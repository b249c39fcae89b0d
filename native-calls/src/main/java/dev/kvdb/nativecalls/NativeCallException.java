package dev.kvdb.nativecalls;

/** A call to the operating system that failed. */
public final class NativeCallException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String call;
  private final String subject;
  private final int errno;
  private final String errnoName;

  /**
   * @param call the function that failed, as in its manual page: {@code "pwrite"}
   * @param subject the path, or whatever else tells which file or range it was about
   * @param errno the error number, as this system counts
   * @param errnoName its name, {@code "ENOSPC"}
   * @param description what the name means, in a few words
   */
  public NativeCallException(
      String call, String subject, int errno, String errnoName, String description) {
    super(call + " " + subject + ": " + description + " (" + errnoName + ", errno " + errno + ")");
    this.call = call;
    this.subject = subject;
    this.errno = errno;
    this.errnoName = errnoName;
  }

  /** The function that failed. */
  public String call() {
    return call;
  }

  /** The path or range the call was about. */
  public String subject() {
    return subject;
  }

  /** The error number, as this system counts. */
  public int errno() {
    return errno;
  }

  /** The name of the error number, for example {@code "ENOSPC"}. */
  public String errnoName() {
    return errnoName;
  }

  /** Whether the disk or a quota is full: nothing is broken, there is no room now. */
  public boolean isOutOfSpace() {
    return errnoName.equals("ENOSPC") || errnoName.equals("EDQUOT");
  }
}
