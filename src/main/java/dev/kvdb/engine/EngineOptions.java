package dev.kvdb.engine;

/**
 * How a database is opened.
 *
 * @param create whether a missing database is created
 * @param readOnly whether it is opened for reading only: no byte on disk changes
 * @param commitLevel what commits survive unless they say otherwise; decides how the log is
 *     appended
 * @param poolBytes memory for pages that were changed
 * @param logBytesTrigger after so much log a checkpoint is taken
 * @param logBytesMax commits wait for a checkpoint rather than let the log grow beyond this
 * @param slotBytes the size of one log file
 * @param addressSpaceBytes how large the page file may grow while it is open
 * @param deadBytesTrigger a checkpoint is taken when it would free so many bytes, or as many as
 *     live
 */
public record EngineOptions(
    boolean create,
    boolean readOnly,
    CommitLevel commitLevel,
    long poolBytes,
    long logBytesTrigger,
    long logBytesMax,
    long slotBytes,
    long addressSpaceBytes,
    long deadBytesTrigger) {

  private static final long MIB = 1L << 20;

  /** What is used where nothing else is said. */
  public static EngineOptions defaults() {
    return new EngineOptions(
        true,
        false,
        CommitLevel.FSYNC,
        64 * MIB,
        64 * MIB,
        512 * MIB,
        16 * MIB,
        1L << 40,
        64 * MIB);
  }

  /** The same with another {@code create}. */
  public EngineOptions withCreate(boolean value) {
    return new EngineOptions(
        value,
        readOnly,
        commitLevel,
        poolBytes,
        logBytesTrigger,
        logBytesMax,
        slotBytes,
        addressSpaceBytes,
        deadBytesTrigger);
  }

  /** The same with another {@code readOnly}. */
  public EngineOptions withReadOnly(boolean value) {
    return new EngineOptions(
        create,
        value,
        commitLevel,
        poolBytes,
        logBytesTrigger,
        logBytesMax,
        slotBytes,
        addressSpaceBytes,
        deadBytesTrigger);
  }

  /** The same with another {@code commitLevel}. */
  public EngineOptions withCommitLevel(CommitLevel value) {
    return new EngineOptions(
        create,
        readOnly,
        value,
        poolBytes,
        logBytesTrigger,
        logBytesMax,
        slotBytes,
        addressSpaceBytes,
        deadBytesTrigger);
  }

  /** The same with another {@code poolBytes}. */
  public EngineOptions withPoolBytes(long value) {
    return new EngineOptions(
        create,
        readOnly,
        commitLevel,
        value,
        logBytesTrigger,
        logBytesMax,
        slotBytes,
        addressSpaceBytes,
        deadBytesTrigger);
  }

  /** The same with another {@code logBytesTrigger}, {@code logBytesMax} and {@code slotBytes}. */
  public EngineOptions withLog(long trigger, long max, long slot) {
    return new EngineOptions(
        create,
        readOnly,
        commitLevel,
        poolBytes,
        trigger,
        max,
        slot,
        addressSpaceBytes,
        deadBytesTrigger);
  }

  /** The same with another {@code logBytesTrigger}. */
  public EngineOptions withLogBytesTrigger(long value) {
    return withLog(value, logBytesMax, slotBytes);
  }

  /** The same with another {@code logBytesMax}. */
  public EngineOptions withLogBytesMax(long value) {
    return withLog(logBytesTrigger, value, slotBytes);
  }

  /** The same with another {@code slotBytes}. */
  public EngineOptions withSlotBytes(long value) {
    return withLog(logBytesTrigger, logBytesMax, value);
  }

  /** The same with another {@code addressSpaceBytes}. */
  public EngineOptions withAddressSpaceBytes(long value) {
    return new EngineOptions(
        create,
        readOnly,
        commitLevel,
        poolBytes,
        logBytesTrigger,
        logBytesMax,
        slotBytes,
        value,
        deadBytesTrigger);
  }

  /** The same with another {@code deadBytesTrigger}. */
  public EngineOptions withDeadBytesTrigger(long value) {
    return new EngineOptions(
        create,
        readOnly,
        commitLevel,
        poolBytes,
        logBytesTrigger,
        logBytesMax,
        slotBytes,
        addressSpaceBytes,
        value);
  }
}
