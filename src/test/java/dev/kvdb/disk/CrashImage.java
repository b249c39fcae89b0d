package dev.kvdb.disk;

import java.util.List;
import java.util.Set;

/**
 * What a power cut or a killed process left on a disk. Immutable; {@link SimulatedDisk#from} makes
 * a disk of it, as often as wanted.
 */
public final class CrashImage {
  private final DiskState state;
  private final int operations;
  private final String origin;
  private final String decisions;

  /**
   * @param origin how it came about, for messages
   * @param decisions what of the pending changes survived; equal for equal images of one cut point
   */
  CrashImage(DiskState state, int operations, String origin, String decisions) {
    this.state = state;
    this.operations = operations;
    this.origin = origin;
    this.decisions = decisions;
  }

  /** How many operations of the history had been recorded. */
  public int operations() {
    return operations;
  }

  /** The names a program finds, relative to the disk's directory. */
  public Set<String> names() {
    return Set.copyOf(state.visibleNames().keySet());
  }

  /**
   * What a program reads from a file.
   *
   * @return null if there is no such name
   */
  public byte[] content(String name) {
    Integer file = state.visibleNames().get(name);
    return file == null ? null : state.file(file).visible().toBytes();
  }

  /** Whether two names lead to the same file. */
  public boolean sameFile(String name, String otherName) {
    Integer file = state.visibleNames().get(name);
    return file != null && file.equals(state.visibleNames().get(otherName));
  }

  /** How many changes a later power cut could still take; 0 in the image of a power cut. */
  public int pendingChanges() {
    List<PendingName> names = state.pendingNames();
    return names.size() + state.files().values().stream().mapToInt(f -> f.pending().size()).sum();
  }

  /** What of the pending changes survived, in a form that is equal for equal images of one cut. */
  public String decisions() {
    return decisions;
  }

  DiskState state() {
    return state;
  }

  @Override
  public String toString() {
    return origin;
  }
}
