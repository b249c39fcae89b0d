package dev.kvdb.engine;

import dev.kvdb.disk.CutCampaign.Interruption;
import dev.kvdb.disk.Drive;
import java.util.ArrayList;
import java.util.List;

/**
 * What the marks of a program say about the states that may be found after it was ended: those
 * after a commit in the order of commits, not before the last one that had to survive, not behind
 * the last one begun.
 */
final class CrashHistory {
  /** An open returned, and this is what the database showed then. */
  record Found(CrashModel state) {}

  /** A commit that would lead to this state was called. */
  record Begun(int number, CrashModel state) {
    @Override
    public String toString() {
      return "begin " + number;
    }
  }

  /** It returned. */
  record Acked(int number, CommitLevel level) {}

  /** It failed; in doubt if writing has ended with it, else it never happened. */
  record Failed(int number, boolean inDoubt) {}

  /** A checkpoint returned: everything acknowledged is durable. */
  record Checkpointed() {}

  /** The database was closed without an error. */
  record Closed() {}

  private final List<CrashModel> states = new ArrayList<>();
  private final CommitLevel weakestDurable;
  private boolean created;
  private int cutFloor;
  private int killFloor;

  private CrashHistory(CommitLevel weakestDurable) {
    this.weakestDurable = weakestDurable;
    states.add(CrashModel.EMPTY);
  }

  /**
   * Follows the marks of a disk with such a drive, whose flushes decide which levels survive a
   * power cut; fails if an open found on the way what it could not.
   */
  static CrashHistory of(List<Object> marks, Drive drive) {
    CrashHistory history =
        new CrashHistory(drive == Drive.LINUX ? CommitLevel.FSYNC : CommitLevel.FULL);
    marks.forEach(history::follow);
    return history;
  }

  private void follow(Object mark) {
    switch (mark) {
      case Found found -> {
        requireLegal(found.state, killFloor, "an earlier open");
        states.clear();
        states.add(found.state);
        created = true;
        cutFloor = 0;
        killFloor = 0;
      }
      case Begun begun -> states.add(begun.state);
      case Acked acked -> {
        killFloor = states.size() - 1;
        if (acked.level.compareTo(weakestDurable) >= 0) {
          cutFloor = killFloor;
        }
      }
      case Failed failed -> {
        if (!failed.inDoubt) {
          states.removeLast();
        }
      }
      case Checkpointed c -> cutFloor = killFloor;
      case Closed c -> {
        cutFloor = states.size() - 1;
        killFloor = cutFloor;
      }
      case Interruption end -> {
        if (end == Interruption.CUT) {
          killFloor = cutFloor;
        }
      }
      default -> throw new AssertionError("an unknown mark: " + mark);
    }
  }

  /** Whether an open has returned, so that a missing database is a loss. */
  boolean isCreated() {
    return created;
  }

  /** Fails unless a state may be what a killed process, or else a power cut, left. */
  void requireLegal(CrashModel found, boolean afterKill) {
    requireLegal(
        found, afterKill ? killFloor : cutFloor, afterKill ? "after a kill" : "after a cut");
  }

  private void requireLegal(CrashModel found, int floor, String when) {
    for (int i = states.size() - 1; i >= floor; i--) {
      if (states.get(i).isSameAs(found)) {
        return;
      }
    }
    int lost = -1;
    for (int i = floor - 1; i >= 0; i--) {
      if (lost < 0 && states.get(i).isSameAs(found)) {
        lost = i;
      }
    }
    throw new AssertionError(
        when
            + ": the state is none of those after commits "
            + floor
            + " to "
            + (states.size() - 1)
            + (lost >= 0
                ? ", it is the one after " + lost + ": acknowledged commits are lost"
                : "; against the first: "
                    + found.differencesFrom(states.get(floor))
                    + " against the last: "
                    + found.differencesFrom(states.getLast())));
  }
}
