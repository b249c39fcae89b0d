package dev.kvdb.disk;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.Arrays;

/**
 * The bytes of one file in memory, in blocks that copies share until one of them writes. A block
 * that is missing reads as zeros. Bytes may lie behind the file's length: they are there, but not
 * to be read until the length covers them. Not thread-safe.
 */
final class FileContent {
  private static final int BLOCK_SIZE = 4096;

  private byte[][] blocks;
  private long size;

  FileContent() {
    blocks = new byte[0][];
  }

  private FileContent(byte[][] blocks, long size) {
    this.blocks = blocks;
    this.size = size;
  }

  /** A copy that shares the blocks; each side copies a block before it changes it. */
  FileContent copy() {
    return new FileContent(blocks.clone(), size);
  }

  long size() {
    return size;
  }

  /** Puts bytes in place and leaves the length alone. */
  void write(long offset, byte[] data, int from, int length) {
    long position = offset;
    int source = from;
    int left = length;
    while (left > 0) {
      int block = Math.toIntExact(position / BLOCK_SIZE);
      int inBlock = (int) (position % BLOCK_SIZE);
      int part = Math.min(left, BLOCK_SIZE - inBlock);
      System.arraycopy(data, source, ownBlock(block), inBlock, part);
      position += part;
      source += part;
      left -= part;
    }
  }

  /** Sets the length; bytes behind it stay, hidden. */
  void setSize(long newSize) {
    size = newSize;
  }

  /** Sets the length and forgets all bytes behind it, so that they read as zeros ever after. */
  void truncate(long newSize) {
    dropBehind(newSize);
    size = newSize;
  }

  private void dropBehind(long end) {
    int keep = Math.toIntExact((end + BLOCK_SIZE - 1) / BLOCK_SIZE);
    if (keep < blocks.length) {
      blocks = Arrays.copyOf(blocks, keep);
    }
    int inBlock = (int) (end % BLOCK_SIZE);
    if (inBlock != 0 && keep <= blocks.length && blocks[keep - 1] != null) {
      Arrays.fill(ownBlock(keep - 1), inBlock, BLOCK_SIZE, (byte) 0);
    }
  }

  /** The whole file as one array. */
  byte[] toBytes() {
    byte[] all = new byte[Math.toIntExact(size)];
    for (int i = 0; i < blocks.length && (long) i * BLOCK_SIZE < size; i++) {
      if (blocks[i] != null) {
        int start = i * BLOCK_SIZE;
        System.arraycopy(blocks[i], 0, all, start, Math.min(BLOCK_SIZE, all.length - start));
      }
    }
    return all;
  }

  /** Writes the file out; missing blocks become holes. */
  void writeTo(RandomAccessFile file) throws IOException {
    file.setLength(size);
    for (int i = 0; i < blocks.length; i++) {
      long start = (long) i * BLOCK_SIZE;
      if (blocks[i] != null && start < size) {
        file.seek(start);
        file.write(blocks[i], 0, (int) Math.min(BLOCK_SIZE, size - start));
      }
    }
  }

  private byte[] ownBlock(int block) {
    if (block >= blocks.length) {
      blocks = Arrays.copyOf(blocks, Math.max(block + 1, blocks.length + blocks.length / 2));
    }
    // Always a fresh array: another copy of this content may share the old one.
    byte[] own = blocks[block] == null ? new byte[BLOCK_SIZE] : blocks[block].clone();
    blocks[block] = own;
    return own;
  }
}
