package dev.kvdb.engine;

import dev.kvdb.pager.Pager;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A table: its id and the list of its newest roots. Readers look up the newest root that is not
 * above their number; the fields of the commit under way are guarded by the commit lock.
 */
public final class EngineTable {
  private static final int PRUNE_LENGTH_MIN = 16;

  private static final VarHandle NEWEST;

  static {
    try {
      NEWEST = MethodHandles.lookup().findVarHandle(EngineTable.class, "newest", RootEntry.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final int id;
  private volatile String name;
  private volatile RootEntry newest;

  /** The number of the commit that dropped it; larger than any number while it is there. */
  private volatile long droppedAt = Long.MAX_VALUE;

  private int listLength = 1;
  private int pruneLength = PRUNE_LENGTH_MIN;

  /** The root as the commit under way leaves it; valid if {@link #workNumber} is that commit's. */
  long workNumber = -1;

  int workPage;
  long workBirth;
  int workHeight;
  long workCount;
  int workOpenLeaf;
  int workOpenEntries;

  /** The leaf the next commit may append to in place (I-21); 0 if it may not. */
  int appendableLeaf;

  EngineTable(int id, String name, RootEntry first) {
    this.id = id;
    this.name = name;
    this.newest = first;
  }

  /** Its id, never used for another table of this database. */
  public int id() {
    return id;
  }

  /** Its name in the newest state. */
  public String name() {
    return name;
  }

  void rename(String newName) {
    name = newName;
  }

  /** Says from which commit on it is gone; before that commit is published. */
  void drop(long number) {
    droppedAt = number;
  }

  /** Whether it is gone in the state of a number. */
  boolean isDroppedAt(long number) {
    return number >= droppedAt;
  }

  @Override
  public String toString() {
    return name;
  }

  /**
   * The root at a number, that is the newest one not above it.
   *
   * @return null if the table did not exist then
   */
  RootEntry rootAt(long number) {
    RootEntry entry = newest;
    while (entry != null && entry.number > number) {
      entry = entry.older;
    }
    return entry;
  }

  RootEntry applied() {
    return newest;
  }

  /** Begins to change the table in a commit. */
  void startWork(long number) {
    RootEntry root = newest;
    workNumber = number;
    workPage = root.page;
    workBirth = root.birth;
    workHeight = root.height;
    workCount = root.count;
    workOpenLeaf = 0;
    workOpenEntries = 0;
  }

  /** Makes what the commit left the applied root. */
  void applyWork(Pager pager) {
    RootEntry applied =
        new RootEntry(
            workNumber,
            workPage,
            workBirth,
            workHeight,
            workCount,
            workOpenLeaf,
            workOpenEntries,
            newest);
    // Whoever looks for it has read a published number that is stored after it.
    NEWEST.setRelease(this, applied);
    appendableLeaf = workOpenLeaf;
    if (++listLength > pruneLength) {
      prune(pager);
    }
  }

  /**
   * Takes out entries that no reader, snapshot or checkpoint can need: the commit that replaced the
   * root is published and everyone who began before has gone, and nobody holds a number between
   * (I-10).
   */
  private void prune(Pager pager) {
    long passed = pager.passedNumber();
    int length = 1;
    RootEntry kept = newest;
    RootEntry entry = kept.older;
    long replacedAt = kept.number;
    while (entry != null) {
      RootEntry next = entry.older;
      if (replacedAt <= passed && !pager.isHeld(entry.number, replacedAt)) {
        kept.older = next;
      } else {
        kept = entry;
        length++;
      }
      replacedAt = entry.number;
      entry = next;
    }
    listLength = length;
    pruneLength = Math.max(PRUNE_LENGTH_MIN, 2 * length);
  }
}
