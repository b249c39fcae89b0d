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

  /** Plain: whoever reads it has read a newer entry from a volatile field. */
  RootEntry older;

  RootEntry(long number, int page, long birth, int height, long count, RootEntry older) {
    this.number = number;
    this.page = page;
    this.birth = birth;
    this.height = height;
    this.count = count;
    this.older = older;
  }
}
