package dev.kvdb.disk;

/**
 * Thrown by every call that would change something once {@link SimulatedDisk#stopAfter} is over.
 */
public final class DiskStopped extends RuntimeException {
  private static final long serialVersionUID = 1L;

  DiskStopped(Kind kind, int operations) {
    super("the simulated disk was stopped after " + operations + " operations; refused: " + kind);
  }

  /** Whether a failure is, or was caused by, a stopped disk. */
  public static boolean causedBy(Throwable failure) {
    for (Throwable t = failure; t != null; t = t.getCause()) {
      if (t instanceof DiskStopped) {
        return true;
      }
    }
    return false;
  }
}
