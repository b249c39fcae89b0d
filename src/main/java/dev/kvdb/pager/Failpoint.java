package dev.kvdb.pager;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Named places at which a test can let the process die on the spot.
 *
 * <p>Nothing happens unless the system property {@code kvdb.failpoint} names the place when the
 * classes are loaded; {@code name:3} means the third time it is passed. The process then ends with
 * {@link Runtime#halt} and {@link #EXIT_STATUS}: no shutdown hook, no finally block, no flush.
 */
public final class Failpoint {
  /** The exit status of a process that ended at a failpoint. */
  public static final int EXIT_STATUS = 86;

  private static final String ARMED = System.getProperty("kvdb.failpoint");
  private static final AtomicInteger LEFT = new AtomicInteger(times());

  private Failpoint() {}

  private static int times() {
    int colon = ARMED == null ? -1 : ARMED.lastIndexOf(':');
    return colon < 0 ? 1 : Integer.parseInt(ARMED.substring(colon + 1));
  }

  /** Ends the process here if this place is armed and its turn has come. */
  public static void reach(String name) {
    if (ARMED != null && matches(name) && LEFT.decrementAndGet() == 0) {
      Runtime.getRuntime().halt(EXIT_STATUS);
    }
  }

  private static boolean matches(String name) {
    int colon = ARMED.lastIndexOf(':');
    return colon < 0 ? ARMED.equals(name) : colon == name.length() && ARMED.startsWith(name);
  }
}
