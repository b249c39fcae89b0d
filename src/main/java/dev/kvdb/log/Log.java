package dev.kvdb.log;

import dev.kvdb.nativecalls.NativeCallException;
import dev.kvdb.nativecalls.NativeCalls;
import dev.kvdb.nativecalls.NativeCalls.FlushLevel;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * The log of a database that is open for writing: one chain of records, begun by {@link #start()}
 * and never continued by a later open.
 *
 * <p>Threads: {@link #reserve}, {@link #append} and {@link #position} are called under the engine's
 * commit lock. Everything else may be called by any thread at any time; {@link #sync} waits for
 * syncs under way, so it is not to be called under that lock. Whoever is inside {@link #sync},
 * {@link #release} or {@link #prepareAhead} must not wait for the commit lock: a commit that needs
 * a slot, or that fails, waits for them.
 */
public final class Log implements AutoCloseable {
  private static final VarHandle LAST_LSN;
  private static final VarHandle END;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      LAST_LSN = lookup.findVarHandle(Log.class, "lastLsn", long.class);
      END = lookup.findVarHandle(Log.class, "end", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static final byte[] NO_RECORD = new byte[LogFormat.RECORD_HEADER_BYTES];

  private final Path pageFile;
  private final LogOptions options;
  private final long slotBytes;
  private final SlotRing ring;
  private final SlotFlusher flusher;
  private final FailureState failure = new FailureState();
  private final Appender appender;
  private final PwriteAppender pwrite;
  private final RecordBuilder builder = new RecordBuilder();
  private final LongSupplier random;

  /** Guarded by the flusher's mutex. */
  private boolean closed;

  private final ReentrantLock starting = new ReentrantLock();
  private volatile LogPosition start;

  // Under the commit lock: where the next record goes.
  private SlotFile slot;
  private long offset;
  private long nextLsn;
  private int chain;

  /** The LSN of the last record of the last whole commit; released when its bytes are written. */
  private long lastLsn;

  /** Where the last whole commit ends: the slot's number times the slot size, plus the offset. */
  private long end;

  /**
   * Changes nothing on disk.
   *
   * @param pageFile the page file, its symbolic links resolved
   * @param directory what was found beside it; its slots must hold nothing that is still needed
   *     when {@link #start()} is called
   * @param nextSlotNumber above every slot number known, 1 or more
   * @param nextLsn the LSN of the first record, 1 or more; every record before it is durable
   */
  public Log(
      NativeCalls calls,
      Path pageFile,
      LogIdentity identity,
      LogOptions options,
      LogDirectory directory,
      long nextSlotNumber,
      long nextLsn) {
    this(
        calls,
        pageFile,
        identity,
        options,
        directory,
        nextSlotNumber,
        nextLsn,
        new SecureRandom()::nextLong,
        MappedAppender::new);
  }

  /** Makes the appender of a mapped log. */
  interface MappedAppenderFactory {
    MappedAppender make(NativeCalls calls, long slotBytes, Appender fallback, FailureState failure);
  }

  Log(
      NativeCalls calls,
      Path pageFile,
      LogIdentity identity,
      LogOptions options,
      LogDirectory directory,
      long nextSlotNumber,
      long nextLsn,
      LongSupplier random,
      MappedAppenderFactory mapped) {
    if (nextSlotNumber < 1 || nextLsn < 1) {
      throw new IllegalArgumentException(
          "slot number " + nextSlotNumber + " and LSN " + nextLsn + ": both begin at 1");
    }
    this.pageFile = pageFile;
    this.options = options;
    this.slotBytes = options.slotBytes();
    this.random = random;
    this.ring =
        new SlotRing(
            calls, pageFile, identity, options, directory, nextSlotNumber, random, failure);
    this.pwrite = new PwriteAppender(calls);
    this.appender = options.mapped() ? mapped.make(calls, slotBytes, pwrite, failure) : pwrite;
    // Nothing fits before the chain has begun.
    this.offset = slotBytes;
    this.nextLsn = nextLsn;
    this.lastLsn = nextLsn - 1;
    this.flusher = new SlotFlusher(calls, ring, failure, slotBytes, nextLsn - 1);
  }

  /**
   * Prepares the first slot and begins the chain; asked again, only returns where it began, which
   * costs next to nothing. No record may be appended before.
   *
   * @throws NativeCallException if a file cannot be made; may be tried again
   * @throws LogFailedException if a flush failed; final
   */
  public LogPosition start() {
    LogPosition begun = start;
    if (begun != null) {
      return begun;
    }
    starting.lock();
    try {
      if (start == null) {
        ring.ensureReady(1);
        slot = ring.enterNext(0);
        offset = LogFormat.HEADER_BLOCK_BYTES;
        chain = (int) random.getAsLong();
        END.setRelease(this, endOf(slot, offset));
        start = position();
      }
      return start;
    } finally {
      starting.unlock();
    }
  }

  /** Whether the chain has begun. */
  public boolean isStarted() {
    return start != null;
  }

  /**
   * Makes sure that a commit's records fit: goes on to the next slot where the first of them has
   * to, and prepares as many further slots as they need. Under the commit lock, before anything of
   * the commit is applied.
   *
   * @param payloadBytes the length of the commit's payload
   * @throws NativeCallException if there is no room on the disk or a file cannot be made; the chain
   *     is as it was
   * @throws LogFailedException if the log can no longer be written
   */
  public void reserve(long payloadBytes) {
    failure.requireAppends();
    if (payloadBytes > LogFormat.PART_BYTES_MAX
        || offset + LogFormat.recordBytes((int) payloadBytes) > slotBytes) {
      requireStarted();
      int slots = slotsNeeded(payloadBytes);
      if (ring.readySlots() < slots) {
        ring.ensureReady(slots);
      }
      if (nextPartBytes(offset, payloadBytes) < 0) {
        enterNextSlot();
      }
    }
  }

  /** How many slots behind the current one a commit's records reach into. */
  private int slotsNeeded(long payloadBytes) {
    int slots = 0;
    long at = offset;
    long left = payloadBytes;
    do {
      int length = nextPartBytes(at, left);
      if (length < 0) {
        slots++;
        at = LogFormat.HEADER_BLOCK_BYTES;
      } else {
        at += LogFormat.recordBytes(length);
        left -= length;
      }
    } while (left > 0);
    return slots;
  }

  /**
   * How many of the bytes left go into the next record at an offset of a slot: the one policy of
   * cutting.
   *
   * @return -1 if the record goes to the next slot
   */
  private int nextPartBytes(long at, long left) {
    long room = slotBytes - at - LogFormat.RECORD_HEADER_BYTES;
    if (room < Math.min(left, LogFormat.PART_BYTES_MIN)) {
      return -1;
    }
    return (int) Math.min(Math.min(room, left), LogFormat.PART_BYTES_MAX);
  }

  /**
   * Whether a commit would fit under the cap once a checkpoint has freed all it can: the cap less
   * the slot that is then in use.
   */
  public boolean fitsEmptyLog(long payloadBytes) {
    return slotBytes + logBytes(payloadBytes) <= options.capBytes();
  }

  /** Whether a commit fits under the cap now; where it does not, wait for a checkpoint. */
  public boolean fitsNow(long payloadBytes) {
    return bytesInUse() + logBytes(payloadBytes) <= options.capBytes();
  }

  /** What a payload takes in the log at most, in bytes, with the headers of slots it goes on to. */
  private long logBytes(long payloadBytes) {
    long partOverhead = LogFormat.RECORD_HEADER_BYTES + LogFormat.ALIGNMENT;
    long slotOverhead =
        LogFormat.HEADER_BLOCK_BYTES
            + LogFormat.PART_BYTES_MIN
            + LogFormat.RECORD_HEADER_BYTES
            + partOverhead;
    long wholeParts = 1 + payloadBytes / LogFormat.PART_BYTES_MAX;
    long records = payloadBytes + wholeParts * partOverhead;
    long slots = 1 + records / (slotBytes - slotOverhead);
    return records + slots * slotOverhead;
  }

  /**
   * Appends a commit. Under the commit lock, after {@link #reserve}. If it fails the log is as if
   * it had never been called, or no longer writable.
   *
   * @param payload holds the payload; not kept
   * @param payloadOffset index of its first byte
   * @param length in bytes
   * @return the LSN of the commit's last record
   * @throws NativeCallException if the system refused; the next commit may be tried
   * @throws LogFailedException if the log can no longer be written
   */
  public long append(long commitNumber, byte[] payload, int payloadOffset, int length) {
    failure.requireAppends();
    int recordBytes = LogFormat.recordBytes(length);
    if (length > LogFormat.PART_BYTES_MAX || offset + recordBytes > slotBytes) {
      return appendParts(commitNumber, payload, payloadOffset, length);
    }
    long lsn = nextLsn;
    int written =
        builder.build(
            slot.salt,
            chain,
            LogFormat.LAST_PART,
            lsn,
            flusher.durableLsn(),
            commitNumber,
            payload,
            payloadOffset,
            length);
    try {
      appender.write(slot, offset, builder.bytes, RecordBuilder.START, written);
    } catch (Throwable t) {
      invalidate(t);
      throw t;
    }
    chain = builder.checksum();
    offset += written;
    nextLsn = lsn + 1;
    publish();
    return lsn;
  }

  private long appendParts(long commitNumber, byte[] payload, int payloadOffset, int length) {
    requireStarted();
    Objects.checkFromIndexSize(payloadOffset, length, payload.length);
    if (nextPartBytes(offset, length) < 0) {
      enterNextSlot();
    }
    SlotFile firstSlot = slot;
    long firstOffset = offset;
    long firstLsn = nextLsn;
    int firstChain = chain;
    try {
      int done = 0;
      int part = 0;
      while (done < length || part == 0) {
        int partBytes = nextPartBytes(offset, length - done);
        if (partBytes < 0) {
          enterNextSlot();
        } else {
          boolean isLast = done + partBytes == length;
          appendPart(
              commitNumber,
              isLast ? part | LogFormat.LAST_PART : part,
              payload,
              payloadOffset + done,
              partBytes);
          done += partBytes;
          part++;
        }
      }
    } catch (Throwable t) {
      if (slot != firstSlot) {
        ring.reenter(firstSlot);
      }
      slot = firstSlot;
      offset = firstOffset;
      nextLsn = firstLsn;
      chain = firstChain;
      invalidate(t);
      throw t;
    }
    publish();
    return nextLsn - 1;
  }

  private void appendPart(long commitNumber, int part, byte[] payload, int from, int length) {
    int written =
        builder.build(
            slot.salt,
            chain,
            part,
            nextLsn,
            flusher.durableLsn(),
            commitNumber,
            payload,
            from,
            length);
    appender.write(slot, offset, builder.bytes, RecordBuilder.START, written);
    chain = builder.checksum();
    offset += written;
    nextLsn++;
  }

  /**
   * Makes the place where the next record goes hold no record, so that a reader stops there. Parts
   * that lie behind it do not fit the checksum of whatever record is put there next.
   *
   * <p>That is flushed at once: were it lost in a power cut, a commit that failed could come back
   * in the place of commits that did not.
   */
  private void invalidate(Throwable cause) {
    if (cause instanceof LogFailedException) {
      return; // Nothing will be appended, and what is left is not to be touched.
    }
    try {
      pwrite.write(slot, offset, NO_RECORD, 0, NO_RECORD.length);
      flusher.flush(slot);
    } catch (Throwable t) {
      cause.addSuppressed(t);
      failure.failAppends("a failed record could not be taken back from " + slot.path, cause);
    }
  }

  private void enterNextSlot() {
    slot = ring.enterNext(nextLsn - 1);
    offset = LogFormat.HEADER_BLOCK_BYTES;
  }

  private void publish() {
    END.setRelease(this, endOf(slot, offset));
    LAST_LSN.setRelease(this, nextLsn - 1);
  }

  private long endOf(SlotFile file, long at) {
    return file.number * slotBytes + at;
  }

  private void requireStarted() {
    if (start == null) {
      throw new IllegalStateException("the log of " + pageFile + " has not been started");
    }
  }

  /** Where the next record goes. Under the commit lock, between two commits. */
  public LogPosition position() {
    if (slot == null) {
      throw new IllegalStateException("the log of " + pageFile + " has not been started");
    }
    return new LogPosition(slot.number, slot.salt, offset, nextLsn, chain);
  }

  /** The LSN of the last record of the last whole commit. */
  public long lastLsn() {
    return (long) LAST_LSN.getAcquire(this);
  }

  /** The LSN up to which everything survives a power cut. */
  public long durableLsn() {
    return flusher.durableLsn();
  }

  /** Says that a durable checkpoint holds everything up to an LSN. */
  public void raiseDurable(long lsn) {
    flusher.raiseDurable(lsn);
  }

  /** A number above that of every slot ever prepared, for the meta pages. */
  public long nextSlotNumber() {
    return ring.nextNumber();
  }

  /** Bytes of the log from the start of the oldest slot that is kept to the end of its records. */
  public long bytesInUse() {
    return isStarted() ? (long) END.getAcquire(this) - ring.oldestNumber() * slotBytes : 0;
  }

  /** Bytes of the log from a position of this chain to the end of its records. */
  public long bytesSince(LogPosition position) {
    return (long) END.getAcquire(this) - position.slotNumber() * slotBytes - position.offset();
  }

  /** How many files the log has now. */
  public int fileCount() {
    return ring.fileCount();
  }

  /**
   * Removes the log's files: nothing names them any more. Nothing may be appended or synced after
   * it.
   *
   * @throws NativeCallException if a file cannot be removed; the rest of them stay then
   */
  public void removeFiles() {
    ring.unlinkAll();
  }

  /** The first cause why the log can no longer be written; null while it can. */
  public Throwable failureCause() {
    return failure.cause();
  }

  /** Why a surplus slot file could not be removed, for reports; null if that never failed. */
  public NativeCallException trimFailure() {
    return ring.trimFailure();
  }

  /**
   * Makes everything up to an LSN, and whatever has been appended behind it by now, survive what a
   * level names. Not under the commit lock.
   *
   * @param lsn of a commit that was appended
   * @return the LSN up to which that is now so, not less than {@code lsn}
   * @throws LogFailedException if a flush failed, now or ever: what was not synced before may be
   *     lost, and no more can be written
   */
  public long sync(long lsn, FlushLevel level) {
    return flusher.sync(lsn, level, this::lastLsn);
  }

  /**
   * Frees the slots that replay from a checkpoint's start does not need. Call it when that
   * checkpoint is durable. Surplus files are removed.
   */
  public void release(LogPosition checkpointStart) {
    flusher.whileNothingIsFlushed(() -> ring.release(checkpointStart.slotNumber()));
    ring.trim();
  }

  /**
   * Whether the next slot should be prepared ahead: none is ready, and a part of this one is full.
   */
  public boolean wantsPrepare() {
    if (!isStarted() || ring.readySlots() > 0 || failure.cause() != null) {
      return false;
    }
    // All slots are of one size, so what is left is the offset in the slot.
    long used = (long) END.getAcquire(this) % slotBytes;
    return used == 0 || used >= slotBytes / 4;
  }

  /**
   * Prepares the next slot, if none is ready. For a background thread, not under the commit lock.
   *
   * @throws NativeCallException if there is no room on the disk or a file cannot be made; may be
   *     tried again
   * @throws LogFailedException if a flush failed; final
   */
  public void prepareAhead() {
    requireStarted();
    ring.ensureReady(1);
  }

  /**
   * Closes files and mappings; does nothing the second time. Nothing is flushed. No append or sync
   * may be under way or follow.
   *
   * @throws NativeCallException if closing a file failed; the others are closed
   */
  @Override
  public void close() {
    flusher.whileNothingIsFlushed(this::closeFiles);
  }

  private void closeFiles() {
    if (closed) {
      return;
    }
    closed = true;
    failure.failSyncs("closed", new IllegalStateException("the log is closed"));
    try {
      ring.close();
    } finally {
      appender.close();
    }
  }
}
