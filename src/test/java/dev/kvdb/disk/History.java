package dev.kvdb.disk;

import java.util.ArrayList;
import java.util.List;

/** The operations and marks of one disk from its beginning on. Thread-safe. */
final class History {
  private final DiskState start;
  private final List<Operation> operations = new ArrayList<>();
  private final List<Mark> marks = new ArrayList<>();

  /**
   * The state after {@code replayed} operations, kept because cut points are mostly visited in
   * order.
   */
  private DiskState replay;

  private int replayed;

  History(DiskState start) {
    this.start = start;
  }

  synchronized int size() {
    return operations.size();
  }

  synchronized void add(Operation operation) {
    operations.add(operation);
  }

  /** Adds a directory that was there from the beginning. */
  synchronized void addDirectory(String name) {
    start.directories().add(name);
    replay = null;
  }

  synchronized void mark(Object value) {
    marks.add(new Mark(operations.size(), value));
  }

  synchronized List<Operation> operations() {
    return List.copyOf(operations);
  }

  synchronized List<Mark> marks() {
    return List.copyOf(marks);
  }

  synchronized List<Object> marksBefore(int count) {
    List<Object> values = new ArrayList<>();
    for (Mark mark : marks) {
      if (mark.position() <= count) {
        values.add(mark.value());
      }
    }
    return values;
  }

  synchronized String describe(int count) {
    String last = count == 0 ? "before the first" : "last " + operations.get(count - 1);
    return "after " + count + " of " + operations.size() + " operations (" + last + ")";
  }

  synchronized CrashImage cut(int count, ImageChoice choice) {
    PowerCut cut = new PowerCut(stateAt(count), choice);
    DiskState left = cut.build();
    return new CrashImage(
        left, count, "power cut " + describe(count) + ", " + choice, cut.decisions());
  }

  synchronized CrashImage kill(int count) {
    DiskState left = stateAt(count).copyForNewHistory();
    return new CrashImage(left, count, "process killed " + describe(count), "");
  }

  private DiskState stateAt(int count) {
    if (count < 0 || count > operations.size()) {
      throw new IndexOutOfBoundsException(
          "cut after " + count + " operations, only " + operations.size() + " were recorded");
    }
    if (replay == null || replayed > count) {
      replay = start.copyForNewHistory();
      replayed = 0;
    }
    while (replayed < count) {
      replay.apply(operations.get(replayed++));
    }
    return replay;
  }
}
