package dev.kvdb.disk;

import java.util.BitSet;

/** What the running disk knows of a file: its number, length, and which blocks it has. */
final class LiveFile {
  private static final int BLOCK_SIZE = 4096;

  private final int number;
  private final BitSet blocks = new BitSet();
  private long size;

  /** A file of a length, all of whose blocks are there. */
  LiveFile(int number, long size) {
    this.number = number;
    growTo(0, size);
  }

  int number() {
    return number;
  }

  long size() {
    return size;
  }

  /** The blocks of a range are there from now on, and the file reaches to its end at least. */
  void growTo(long offset, long length) {
    if (length > 0) {
      blocks.set(block(offset), block(offset + length - 1) + 1);
      size = Math.max(size, offset + length);
    }
  }

  void truncate(long newSize) {
    size = newSize;
    blocks.clear(block(newSize + BLOCK_SIZE - 1), Math.max(blocks.length(), block(newSize) + 1));
  }

  /** How many bytes of a range can be written without a new block. */
  long bytesWithRoom(long offset, long length) {
    if (length == 0) {
      return 0;
    }
    long firstHole = (long) blocks.nextClearBit(block(offset)) * BLOCK_SIZE;
    return Math.min(length, Math.max(0, firstHole - offset));
  }

  private static int block(long offset) {
    return Math.toIntExact(offset / BLOCK_SIZE);
  }
}
