package dev.kvdb.engine;

/** Waiting for a thread without losing an interrupt. */
final class Threads {
  private Threads() {}

  /** Waits until a thread has ended; null is no thread. An interrupt is kept for the caller. */
  static void joinUninterruptibly(Thread thread) {
    boolean interrupted = false;
    while (thread != null && thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
