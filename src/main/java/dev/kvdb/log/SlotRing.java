package dev.kvdb.log;

import dev.kvdb.log.LogDirectory.Slot;
import dev.kvdb.log.LogDirectory.SlotName;
import dev.kvdb.nativecalls.NativeCallException;
import dev.kvdb.nativecalls.NativeCalls;
import dev.kvdb.nativecalls.NativeCalls.FlushLevel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * The slot files of a log that is open for writing: which hold records, which are ready, which are
 * free.
 *
 * <p>Locks, in the order they are taken: {@code preparing}, held while files are made, prepared or
 * unlinked; {@code state}, held for moments and never across a system call. A file that is in
 * neither list belongs to whoever holds {@code preparing}. Only the holder of the flusher's mutex
 * takes files out of the chain, so no file it flushes is closed or used again meanwhile.
 *
 * <p>Names: the lowest free one is prepared first, and only the highest of all is ever unlinked. So
 * the names stay without gaps, and a ring that grew shrinks again as it turns.
 */
final class SlotRing {
  /** So many free files are kept for the next rounds; their blocks and mappings are ready. */
  static final int SPARE_FILES_MAX = 2;

  private final NativeCalls calls;
  private final Path pageFile;
  private final LogIdentity identity;
  private final LogOptions options;
  private final LongSupplier random;
  private final FailureState failure;

  private final ReentrantLock preparing = new ReentrantLock();
  private final ReentrantLock state = new ReentrantLock();

  // Guarded by preparing.
  private final Set<Integer> foreign = new HashSet<>();
  private SlotFile pending;
  private boolean directorySynced;
  private boolean closed;
  private NativeCallException trimFailure;

  /** Written under preparing, read by anyone. */
  private volatile long nextNumber;

  /** Guarded by state: files with records and, behind the current one, those ready for some. */
  private final List<SlotFile> chain = new ArrayList<>();

  /** Guarded by state: index in the chain of the file that is appended to; -1 before the first. */
  private int current = -1;

  /** Guarded by state: files whose contents nobody needs, by index. */
  private final TreeMap<Integer, SlotFile> free = new TreeMap<>();

  /** Written under state, read by anyone. */
  private volatile int readySlots;

  private volatile long oldestNumber;

  SlotRing(
      NativeCalls calls,
      Path pageFile,
      LogIdentity identity,
      LogOptions options,
      LogDirectory directory,
      long nextSlotNumber,
      LongSupplier random,
      FailureState failure) {
    this.calls = calls;
    this.pageFile = pageFile;
    this.identity = identity;
    this.options = options;
    this.random = random;
    this.failure = failure;
    this.nextNumber = Math.max(nextSlotNumber, directory.highestSlotNumber() + 1);
    for (Slot slot : directory.slots()) {
      addFree(slot.name());
    }
    directory.unusedFiles().forEach(this::addFree);
    directory.foreignFiles().forEach(name -> foreign.add(name.index()));
  }

  private void addFree(SlotName name) {
    free.put(name.index(), new SlotFile(name.index(), name.path()));
  }

  /** A number above that of every slot ever prepared. */
  long nextNumber() {
    return nextNumber;
  }

  /** How many prepared slots wait behind the current one. */
  int readySlots() {
    return readySlots;
  }

  /** The number of the oldest slot whose records are kept; 0 before the first is prepared. */
  long oldestNumber() {
    return oldestNumber;
  }

  /** Why the last unlinking of a surplus file failed; null if none did. */
  NativeCallException trimFailure() {
    preparing.lock();
    try {
      return trimFailure;
    } finally {
      preparing.unlock();
    }
  }

  /**
   * Prepares slots until so many are ready behind the current one.
   *
   * @throws NativeCallException if that failed; what is ready stays so, nothing else has changed
   */
  void ensureReady(int slots) {
    preparing.lock();
    try {
      if (closed) {
        throw new IllegalStateException("the log of " + pageFile + " is closed");
      }
      while (readySlots < slots) {
        prepareNext();
      }
    } finally {
      preparing.unlock();
    }
  }

  private void prepareNext() {
    failure.requireAppends();
    SlotFile file = pending;
    if (file == null) {
      file = takeFile();
      // From here on a header with this number may reach the disk. No other file may carry it, so
      // a preparation that fails is taken up again with the same file, number and salt.
      file.salt = random.getAsLong();
      file.number = nextNumber;
      nextNumber = file.number + 1;
      pending = file;
    }
    writeHeader(file);
    flushHeader(file);
    if (file.mapping != null) {
      // After the flush: writing pages to the drive makes their next store fault again.
      file.mapping.prefault(0, options.slotBytes());
    }
    pending = null;
    state.lock();
    try {
      if (chain.isEmpty()) {
        oldestNumber = file.number;
      }
      chain.add(file);
      readySlots = chain.size() - 1 - current;
    } finally {
      state.unlock();
    }
  }

  /** Takes a free file, or makes one under the lowest name, with its blocks and its mapping. */
  private SlotFile takeFile() {
    while (true) {
      SlotFile file = pollFree();
      boolean isNew = file == null;
      if (isNew) {
        int index = lowestIndex();
        file = new SlotFile(index, LogFormat.slotFile(pageFile, index));
      }
      boolean taken = false;
      try {
        taken = file.open(calls, identity);
        if (!taken) {
          foreign.add(file.index);
          continue;
        }
        if (isNew) {
          directorySynced = false;
        }
        allocate(file);
        return file;
      } catch (RuntimeException | Error e) {
        if (taken || !isNew) {
          putBack(file);
        }
        throw e;
      }
    }
  }

  private SlotFile pollFree() {
    state.lock();
    try {
      return free.isEmpty() ? null : free.pollFirstEntry().getValue();
    } finally {
      state.unlock();
    }
  }

  private void putBack(SlotFile file) {
    state.lock();
    try {
      free.put(file.index, file);
    } finally {
      state.unlock();
    }
  }

  /** The lowest name that no file of ours and no foreign file has. */
  private int lowestIndex() {
    Set<Integer> taken = new HashSet<>(foreign);
    state.lock();
    try {
      chain.forEach(file -> taken.add(file.index));
      taken.addAll(free.keySet());
    } finally {
      state.unlock();
    }
    int index = 0;
    while (taken.contains(index)) {
      index++;
    }
    return index;
  }

  private void allocate(SlotFile file) {
    if (file.hasBlocks) {
      return;
    }
    long size = calls.status(file.descriptor).size();
    try {
      calls.allocate(file.descriptor, 0, options.slotBytes());
    } catch (NativeCallException e) {
      giveBack(file, size, e);
      throw e;
    }
    if (size > options.slotBytes()) {
      calls.truncate(file.descriptor, options.slotBytes());
    }
    if (options.mapped()) {
      file.mapping = calls.mapShared(file.descriptor, options.slotBytes());
    }
    file.hasBlocks = true;
  }

  /** On a full disk, leaves the blocks that could be had to others. */
  private void giveBack(SlotFile file, long size, NativeCallException cause) {
    try {
      calls.truncate(file.descriptor, size);
    } catch (NativeCallException e) {
      cause.addSuppressed(e);
    }
  }

  private void writeHeader(SlotFile file) {
    byte[] header = new SlotHeader(file.number, file.salt, options.slotBytes()).encode(identity);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(header.length, Long.BYTES);
      MemorySegment.copy(header, 0, buffer, ValueLayout.JAVA_BYTE, 0, header.length);
      calls.write(file.descriptor, buffer, 0);
    }
  }

  private void flushHeader(SlotFile file) {
    try {
      calls.flush(file.descriptor, FlushLevel.FULL);
      if (!directorySynced) {
        calls.syncDirectory(pageFile.toAbsolutePath().getParent());
        directorySynced = true;
      }
    } catch (RuntimeException e) {
      throw failure.failSyncs("cannot make the log slot " + file.path + " durable", e);
    }
  }

  /**
   * Goes on to the next slot, which must be ready.
   *
   * @param lastLsn the LSN of the last record in the slot that is left
   */
  SlotFile enterNext(long lastLsn) {
    state.lock();
    try {
      if (current + 1 >= chain.size()) {
        throw new IllegalStateException("no log slot is ready: room was not reserved");
      }
      if (current >= 0) {
        chain.get(current).lastLsn = lastLsn;
      }
      current++;
      readySlots = chain.size() - 1 - current;
      return chain.get(current);
    } finally {
      state.unlock();
    }
  }

  /** Goes back to a slot of the chain; those behind it are ready again. */
  void reenter(SlotFile slot) {
    state.lock();
    try {
      current = chain.indexOf(slot);
      readySlots = chain.size() - 1 - current;
    } finally {
      state.unlock();
    }
  }

  /** The files with records, oldest first, the current one last. */
  List<SlotFile> written() {
    state.lock();
    try {
      return List.copyOf(chain.subList(0, current + 1));
    } finally {
      state.unlock();
    }
  }

  /** Frees the slots below a number, never the current one. Called under the flusher's mutex. */
  void release(long number) {
    state.lock();
    try {
      while (current > 0 && chain.getFirst().number < number) {
        SlotFile file = chain.removeFirst();
        free.put(file.index, file);
        current--;
      }
      if (!chain.isEmpty()) {
        oldestNumber = chain.getFirst().number;
      }
    } finally {
      state.unlock();
    }
  }

  /** Unlinks surplus free files from the highest name down; a failure is kept for reports. */
  void trim() {
    preparing.lock();
    try {
      SlotFile file = closed ? null : takeSurplus();
      while (file != null) {
        try {
          file.close(calls);
          calls.unlink(file.path);
        } catch (NativeCallException e) {
          // Only space is lost, and the name is taken again before any higher one.
          trimFailure = e;
          putBack(file);
          return;
        }
        file = takeSurplus();
      }
    } finally {
      preparing.unlock();
    }
  }

  private SlotFile takeSurplus() {
    state.lock();
    try {
      if (free.size() <= SPARE_FILES_MAX) {
        return null;
      }
      int highest = free.lastKey();
      boolean isHighest =
          chain.stream().allMatch(file -> file.index < highest)
              && (pending == null || pending.index < highest);
      return isHighest ? free.pollLastEntry().getValue() : null;
    } finally {
      state.unlock();
    }
  }

  /** How many files the ring has now. */
  int fileCount() {
    preparing.lock();
    state.lock();
    try {
      return chain.size() + free.size() + (pending == null ? 0 : 1);
    } finally {
      state.unlock();
      preparing.unlock();
    }
  }

  /** Unlinks every file, from the highest name down; the descriptors stay open until the close. */
  void unlinkAll() {
    preparing.lock();
    state.lock();
    try {
      TreeMap<Integer, SlotFile> files = new TreeMap<>(free);
      chain.forEach(file -> files.put(file.index, file));
      if (pending != null) {
        files.put(pending.index, pending);
      }
      for (SlotFile file : files.descendingMap().values()) {
        calls.unlink(file.path);
      }
    } finally {
      state.unlock();
      preparing.unlock();
    }
  }

  /** Closes every file, whatever fails; throws the first failure. */
  void close() {
    preparing.lock();
    state.lock();
    try {
      closed = true;
      List<SlotFile> files = new ArrayList<>(chain);
      files.addAll(free.values());
      if (pending != null) {
        files.add(pending);
      }
      chain.clear();
      free.clear();
      pending = null;
      current = -1;
      readySlots = 0;
      RuntimeException first = null;
      for (SlotFile file : files) {
        try {
          file.close(calls);
        } catch (RuntimeException e) {
          if (first == null) {
            first = e;
          } else {
            first.addSuppressed(e);
          }
        }
      }
      if (first != null) {
        throw first;
      }
    } finally {
      state.unlock();
      preparing.unlock();
    }
  }
}
