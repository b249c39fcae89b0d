package dev.kvdb.disk;

import dev.kvdb.nativecalls.NativeCalls;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The calls of a simulated disk that change nothing durable. They go to the real files in its
 * directory; descriptors, mappings and reservations are counted, and refused if they are not this
 * disk's: by then the system may have given the same number to someone else.
 */
abstract class CountedCalls implements NativeCalls {
  /** What a descriptor was opened for; no file for a directory. */
  record OpenFile(String name, LiveFile file) {}

  final NativeCalls real = NativeCalls.system();
  final Scratch scratch;
  private final Map<Integer, OpenFile> descriptors = new ConcurrentHashMap<>();
  private final Set<RecordedMapping> mappings = ConcurrentHashMap.newKeySet();
  private final AddressSpace reservations = new AddressSpace();

  CountedCalls(Scratch scratch) {
    this.scratch = scratch;
  }

  /** Throws if a call of a kind that is not recorded is to fail now. */
  abstract void failIfPlanned(Kind kind, String call, String subject);

  /** Throws once the disk is closed. */
  abstract void refuseIfClosed(String call);

  /** Does a store and records it. */
  abstract void store(
      RecordedMapping mapping, long offset, byte[] source, int sourceOffset, int length);

  /** Records that a range of a mapped file was handed over to the drive. */
  abstract void handOver(RecordedMapping mapping, long offset, long length);

  /** Throws if a store into the range could not have its blocks. */
  abstract void requireBlocks(RecordedMapping mapping, long offset, long length);

  /** How many descriptors are open. */
  public int openDescriptors() {
    return descriptors.size();
  }

  /** How many bytes of address space are reserved or mapped for storing. */
  public long mappedBytes() {
    return reservations.bytes() + mappings.stream().mapToLong(RecordedMapping::size).sum();
  }

  /** Closes and unmaps what was left open. */
  final void releaseAll() {
    List.copyOf(mappings).forEach(RecordedMapping::close);
    reservations.left().forEach(this::unmap);
    List.copyOf(descriptors.keySet()).forEach(this::close);
  }

  final int openReal(Path path, OpenMode mode, OpenFile open) {
    refuseIfClosed("open");
    int descriptor = real.open(path, mode);
    descriptors.put(descriptor, open);
    return descriptor;
  }

  final OpenFile opened(int descriptor, String call) {
    OpenFile open = descriptors.get(descriptor);
    if (open == null) {
      throw FaultPlan.exception(call, "descriptor " + descriptor, "EBADF");
    }
    return open;
  }

  final OpenFile openedFile(int descriptor, String call) {
    OpenFile open = opened(descriptor, call);
    if (open.file == null) {
      throw FaultPlan.exception(call, "directory " + open.name, "EBADF");
    }
    return open;
  }

  final void requireReserved(long address, long size) {
    reservations.requireReserved(address, size);
  }

  @Override
  public void close(int descriptor) {
    OpenFile open = descriptors.remove(descriptor);
    if (open == null) {
      throw FaultPlan.exception("close", "descriptor " + descriptor, "EBADF");
    }
    real.close(descriptor);
  }

  @Override
  public boolean tryLock(int descriptor, boolean exclusive) {
    opened(descriptor, "flock");
    return real.tryLock(descriptor, exclusive);
  }

  @Override
  public FileStatus status(int descriptor) {
    opened(descriptor, "fstat");
    return real.status(descriptor);
  }

  @Override
  public FileStatus status(Path path) {
    scratch.nameOf(path);
    return real.status(path);
  }

  @Override
  public long read(int descriptor, MemorySegment buffer, long fileOffset) {
    OpenFile open = opened(descriptor, "pread");
    failIfPlanned(Kind.READ, "pread", open.name);
    return real.read(descriptor, buffer, fileOffset);
  }

  @Override
  public int systemPageSize() {
    return real.systemPageSize();
  }

  @Override
  public long reserve(long size) {
    refuseIfClosed("reserve");
    long address = real.reserve(size);
    reservations.add(address, size);
    return address;
  }

  @Override
  public void mapMemory(long address, long size) {
    reservations.requireReserved(address, size);
    real.mapMemory(address, size);
  }

  @Override
  public void mapFile(long address, long size, int descriptor, long fileOffset) {
    opened(descriptor, "mmap");
    reservations.requireReserved(address, size);
    real.mapFile(address, size, descriptor, fileOffset);
  }

  @Override
  public void unmap(long address, long size) {
    reservations.remove(address, size);
    real.unmap(address, size);
  }

  @Override
  public MappedFile mapShared(int descriptor, long size) {
    OpenFile open = openedFile(descriptor, "mmap");
    RecordedMapping mapping =
        new RecordedMapping(this, open.name, open.file, real.mapShared(descriptor, size), size);
    mappings.add(mapping);
    return mapping;
  }

  /** A mapping was closed; false if it was before. */
  final boolean forget(RecordedMapping mapping) {
    return mappings.remove(mapping);
  }

  @Override
  public void advise(long address, long size, Advice advice) {
    reservations.requireReserved(address, size);
    real.advise(address, size, advice);
  }
}
