package dev.kvdb.pager;

/**
 * The rules that decide when a page may be reused and which space map counts: each one predicate,
 * asked by everything that must agree on it. Tests override one at a time to show that breaking it
 * is noticed.
 */
public class SpacePolicy {
  /** The rules as they are. */
  public static final SpacePolicy RULES = new SpacePolicy();

  /** For {@link #RULES} and tests. */
  protected SpacePolicy() {}

  /**
   * Whether a checkpoint or a snapshot at a number still reaches a page (I-5): it was born by then
   * and died later. The same predicate tells which dirty frames a checkpoint has to write.
   */
  protected boolean holds(long holder, long birth, long death) {
    return birth <= holder && holder < death;
  }

  /**
   * Whether readers can no longer begin at a state in which a page that died here was alive (I-7).
   */
  protected boolean isPublished(long death, long published) {
    return death <= published;
  }

  /** Whether a checkpoint that has begun holds pages, as the durable one does (I-5). */
  protected boolean begunCheckpointHolds() {
    return true;
  }

  /**
   * Whether a map slot is the one that the catalog means (I-11). The newest stamp is no substitute:
   * it may be that of a checkpoint that was abandoned.
   */
  protected boolean isMapOf(long stampFound, long stampInCatalog) {
    return stampFound == stampInCatalog;
  }

  /** Whether the map of a region as written by the durable checkpoint is still exact (I-12). */
  protected boolean isMapExact(long changedAt, long freezeNumber, long writtenStamp) {
    return writtenStamp >= 0 && changedAt <= writtenStamp;
  }

  /** Whether the deaths that a failed commit decided are thrown away (I-6). */
  protected boolean dropsDeathsOfFailedCommit() {
    return true;
  }
}
