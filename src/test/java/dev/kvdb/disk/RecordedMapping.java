package dev.kvdb.disk;

import dev.kvdb.nativecalls.NativeCalls.MappedFile;
import java.util.Objects;

/** A mapping of a file whose stores the disk records before they happen. */
final class RecordedMapping implements MappedFile {
  private final CountedCalls disk;
  private final String name;
  private final LiveFile file;
  private final MappedFile real;
  private final long size;

  RecordedMapping(CountedCalls disk, String name, LiveFile file, MappedFile real, long size) {
    this.disk = disk;
    this.name = name;
    this.file = file;
    this.real = real;
    this.size = size;
  }

  String name() {
    return name;
  }

  LiveFile file() {
    return file;
  }

  long size() {
    return size;
  }

  void storeReal(long offset, byte[] source, int sourceOffset, int length) {
    real.store(offset, source, sourceOffset, length);
  }

  @Override
  public void store(long offset, byte[] source, int sourceOffset, int length) {
    disk.store(this, offset, source, sourceOffset, length);
  }

  @Override
  public void prefault(long offset, long length) {
    Objects.checkFromIndexSize(offset, length, size);
    disk.requireBlocks(this, offset, length);
    real.prefault(offset, length);
  }

  @Override
  public void sync(long offset, long length) {
    Objects.checkFromIndexSize(offset, length, size);
    disk.handOver(this, offset, length);
  }

  @Override
  public void close() {
    if (!disk.forget(this)) {
      throw new IllegalStateException("the mapping of " + name + " is closed already");
    }
    real.close();
  }
}
