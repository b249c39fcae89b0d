package dev.kvdb.engine;

/**
 * The root of a table from one commit number on. Immutable but for the link to the entry before,
 * which is only ever moved past entries that nobody can need (I-10).
 */
final class RootEntry {
  final long number;
  final int page;
  final long birth;
  final int height;
  final long count;

  /** The leaf that later commits may append entries to in place; 0 if there is none (I-21). */
  final int openLeaf;

  /** How many entries of the open leaf belong to this root. */
  final int openEntries;

  /** Plain: whoever reads it has read a newer entry from a volatile field. */
  RootEntry older;

  /** A root without an open leaf. */
  RootEntry(long number, int page, long birth, int height, long count, RootEntry older) {
    this(number, page, birth, height, count, 0, 0, older);
  }

  RootEntry(
      long number,
      int page,
      long birth,
      int height,
      long count,
      int openLeaf,
      int openEntries,
      RootEntry older) {
    this.number = number;
    this.page = page;
    this.birth = birth;
    this.height = height;
    this.count = count;
    this.openLeaf = openLeaf;
    this.openEntries = openEntries;
    this.older = older;
  }
}
