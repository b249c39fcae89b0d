package dev.kvdb;

import dev.kvdb.engine.TableDetails;

/** The shape of one table, from a walk over all of it; see {@link Table#stats()}. Immutable. */
public final class TableStats {
  private final TableDetails details;

  TableStats(TableDetails details) {
    this.details = details;
  }

  /** The table's name. */
  public String name() {
    return details.name();
  }

  /** How many entries it has. */
  public long entries() {
    return details.entries();
  }

  /** How many levels of pages its tree has; 0 if it is empty and has no page. */
  public int height() {
    return details.height();
  }

  /** How many pages hold entries. */
  public long leafPages() {
    return details.leafPages();
  }

  /** How many pages hold only separators. */
  public long branchPages() {
    return details.branchPages();
  }

  /** The bytes of all keys together. */
  public long keyBytes() {
    return details.keyBytes();
  }

  /** The bytes of all values together. */
  public long valueBytes() {
    return details.valueBytes();
  }

  /** The used part of the table's leaf pages, 0 to 1. */
  public double fill() {
    return details.fill();
  }

  @Override
  public String toString() {
    return details.toString();
  }
}
