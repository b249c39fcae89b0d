package dev.kvdb.engine;

/**
 * Counts the snapshots that have handed out views, so that the address space is given back only
 * when the last of them has ended.
 */
final class ViewCount {
  private int open;
  private boolean settled;
  private Runnable whenNone;

  /**
   * A snapshot is about to hand out its first view.
   *
   * @return false if the pages are gone already, so that it must not
   */
  synchronized boolean opened() {
    if (settled) {
      return false;
    }
    open++;
    return true;
  }

  synchronized void closed() {
    open--;
    if (open == 0 && whenNone != null) {
      whenNone.run();
    }
  }

  /**
   * Decides what becomes of the pages, once: nobody opens or closes views meanwhile.
   *
   * @param giveBack run now if there are no views, else when the last has ended
   * @param replace run now if there are views
   */
  synchronized void settle(Runnable giveBack, Runnable replace) {
    settled = true;
    if (open == 0) {
      giveBack.run();
    } else {
      whenNone = giveBack;
      replace.run();
    }
  }
}
