package dev.kvdb.log;

/** Is handed the commits of a log, one after the other. */
@FunctionalInterface
public interface CommitVisitor {
  /**
   * One whole commit.
   *
   * @param commitNumber its number
   * @param bytes holds the payload; valid, and not to be changed, until this method returns
   * @param offset index of the payload's first byte
   * @param length of the payload in bytes
   */
  void visit(long commitNumber, byte[] bytes, int offset, int length);
}
