package dev.kvdb.cli;

import java.util.Locale;

/** A counter on a terminal's standard error; silent where no person is looking. For one thread. */
final class Progress implements AutoCloseable {
  private static final long INTERVAL_NANOS = 100_000_000;

  private final Streams streams;
  private final boolean isTerminal;
  private long shownAt = System.nanoTime();
  private boolean isShown;

  Progress(Streams streams) {
    this.streams = streams;
    this.isTerminal = streams.isTerminal().getAsBoolean();
  }

  /** Tells how many entries there are by now. */
  void report(long entries) {
    if (!isTerminal || System.nanoTime() - shownAt < INTERVAL_NANOS) {
      return;
    }
    shownAt = System.nanoTime();
    isShown = true;
    streams.err().printf(Locale.ROOT, "\r%,d entries", entries);
    streams.err().flush();
  }

  /** Clears the line. */
  @Override
  public void close() {
    if (isShown) {
      streams.err().print("\r\033[K");
      streams.err().flush();
    }
  }
}
