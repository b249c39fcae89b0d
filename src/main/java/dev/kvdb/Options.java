package dev.kvdb;

import dev.kvdb.engine.EngineOptions;
import java.util.Locale;

/**
 * How a database is opened. Immutable: each {@code with} method returns a changed copy. Sizes are
 * in bytes. Safe for use by many threads.
 *
 * <pre>{@code
 * Options options = Options.defaults().withDurability(Durability.FULL).withPoolBytes(256L << 20);
 * }</pre>
 */
public final class Options {
  /** The smallest pool of changed pages. */
  public static final long POOL_BYTES_MIN = 1L << 20;

  /** The smallest amount of log after which a checkpoint begins. */
  public static final long LOG_BYTES_TRIGGER_MIN = 64L << 10;

  /** The smallest file of the log. */
  public static final long LOG_SLOT_BYTES_MIN = 64L << 10;

  /** The least amount of dead bytes after which a checkpoint begins. */
  public static final long DEAD_BYTES_TRIGGER_MIN = 64L << 10;

  /** The smallest address space. */
  public static final long ADDRESS_SPACE_BYTES_MIN = 16L << 20;

  /** The largest address space: 16 TiB. */
  public static final long ADDRESS_SPACE_BYTES_MAX = 16L << 40;

  private static final Options DEFAULTS = new Options(EngineOptions.defaults());

  private final EngineOptions engineOptions;

  private Options(EngineOptions engineOptions) {
    this.engineOptions = engineOptions;
  }

  /**
   * The options of {@link Database#open(java.nio.file.Path)}: created if missing, for reading and
   * writing, commits at {@link Durability#FSYNC}.
   */
  public static Options defaults() {
    return DEFAULTS;
  }

  /** Whether a missing database is created; its folder must exist. Not with read-only. */
  public Options withCreateIfMissing(boolean createIfMissing) {
    return new Options(engineOptions.withCreate(createIfMissing));
  }

  /**
   * Whether the database is opened for reading only: no byte of any file changes, and any number of
   * processes may do so at once. A read-only database is never created.
   */
  public Options withReadOnly(boolean readOnly) {
    return new Options(engineOptions.withReadOnly(readOnly));
  }

  /** The level of commits that name none. It also decides how the log is written. */
  public Options withDurability(Durability durability) {
    Limits.checkNotNull("durability", durability);
    return new Options(engineOptions.withCommitLevel(durability.commitLevel()));
  }

  /**
   * The memory for pages that were changed since they were last written to the file.
   *
   * @param poolBytes at least {@link #POOL_BYTES_MIN}; a transaction may be larger than the pool
   */
  public Options withPoolBytes(long poolBytes) {
    checkAtLeast("poolBytes", poolBytes, POOL_BYTES_MIN);
    return new Options(engineOptions.withPoolBytes(poolBytes));
  }

  /**
   * A checkpoint begins once that much log was written since the last one.
   *
   * @param logBytesTrigger at least {@link #LOG_BYTES_TRIGGER_MIN}, at most the log's maximum
   */
  public Options withLogBytesTrigger(long logBytesTrigger) {
    checkAtLeast("logBytesTrigger", logBytesTrigger, LOG_BYTES_TRIGGER_MIN);
    return new Options(engineOptions.withLogBytesTrigger(logBytesTrigger));
  }

  /**
   * The log never grows beyond this; commits wait for a checkpoint instead.
   *
   * @param logBytesMax at least the log's trigger and two of its slots
   */
  public Options withLogBytesMax(long logBytesMax) {
    checkAtLeast("logBytesMax", logBytesMax, LOG_BYTES_TRIGGER_MIN);
    return new Options(engineOptions.withLogBytesMax(logBytesMax));
  }

  /**
   * The size of one file of the log.
   *
   * @param logSlotBytes at least {@link #LOG_SLOT_BYTES_MIN}
   */
  public Options withLogSlotBytes(long logSlotBytes) {
    checkAtLeast("logSlotBytes", logSlotBytes, LOG_SLOT_BYTES_MIN);
    return new Options(engineOptions.withSlotBytes(logSlotBytes));
  }

  /**
   * The address space that is reserved; it costs no memory. The file can grow to it less the pool.
   *
   * @param addressSpaceBytes {@link #ADDRESS_SPACE_BYTES_MIN} to {@link #ADDRESS_SPACE_BYTES_MAX};
   *     halved where the system refuses it
   */
  public Options withAddressSpaceBytes(long addressSpaceBytes) {
    checkAtLeast("addressSpaceBytes", addressSpaceBytes, ADDRESS_SPACE_BYTES_MIN);
    if (addressSpaceBytes > ADDRESS_SPACE_BYTES_MAX) {
      throw new IllegalArgumentException(
          text(
              "addressSpaceBytes is %,d, the maximum is %,d",
              addressSpaceBytes, ADDRESS_SPACE_BYTES_MAX));
    }
    return new Options(engineOptions.withAddressSpaceBytes(addressSpaceBytes));
  }

  /**
   * A checkpoint begins once pages of that many bytes wait for one to be reused.
   *
   * @param deadBytesTrigger at least {@link #DEAD_BYTES_TRIGGER_MIN}
   */
  public Options withDeadBytesTrigger(long deadBytesTrigger) {
    checkAtLeast("deadBytesTrigger", deadBytesTrigger, DEAD_BYTES_TRIGGER_MIN);
    return new Options(engineOptions.withDeadBytesTrigger(deadBytesTrigger));
  }

  /** See {@link #withCreateIfMissing}. */
  public boolean createIfMissing() {
    return engineOptions.create();
  }

  /** See {@link #withReadOnly}. */
  public boolean isReadOnly() {
    return engineOptions.readOnly();
  }

  /** See {@link #withDurability}. */
  public Durability durability() {
    return Durability.of(engineOptions.commitLevel());
  }

  /** See {@link #withPoolBytes}. */
  public long poolBytes() {
    return engineOptions.poolBytes();
  }

  /** See {@link #withLogBytesTrigger}. */
  public long logBytesTrigger() {
    return engineOptions.logBytesTrigger();
  }

  /** See {@link #withLogBytesMax}. */
  public long logBytesMax() {
    return engineOptions.logBytesMax();
  }

  /** See {@link #withLogSlotBytes}. */
  public long logSlotBytes() {
    return engineOptions.slotBytes();
  }

  /** See {@link #withAddressSpaceBytes}. */
  public long addressSpaceBytes() {
    return engineOptions.addressSpaceBytes();
  }

  /** See {@link #withDeadBytesTrigger}. */
  public long deadBytesTrigger() {
    return engineOptions.deadBytesTrigger();
  }

  /**
   * The engine's options, once it is known that they go together.
   *
   * @throws IllegalArgumentException if two of them contradict each other; names both
   */
  EngineOptions checkedEngineOptions() {
    if (logBytesMax() < logBytesTrigger()) {
      throw new IllegalArgumentException(
          text(
              "logBytesMax is %,d, less than logBytesTrigger, %,d: raise logBytesMax",
              logBytesMax(), logBytesTrigger()));
    }
    if (logBytesMax() / 2 < logSlotBytes()) {
      throw new IllegalArgumentException(
          text(
              "logBytesMax is %,d, less than two slots of %,d (logSlotBytes): lower logSlotBytes",
              logBytesMax(), logSlotBytes()));
    }
    if (addressSpaceBytes() / 2 < poolBytes()) {
      throw new IllegalArgumentException(
          text(
              "poolBytes is %,d, more than half of addressSpaceBytes, %,d",
              poolBytes(), addressSpaceBytes()));
    }
    return isReadOnly() ? engineOptions.withCreate(false) : engineOptions;
  }

  @Override
  public String toString() {
    return text(
        "Options[createIfMissing=%s, readOnly=%s, durability=%s, poolBytes=%d, logBytesTrigger=%d,"
            + " logBytesMax=%d, logSlotBytes=%d, addressSpaceBytes=%d, deadBytesTrigger=%d]",
        createIfMissing(),
        isReadOnly(),
        durability(),
        poolBytes(),
        logBytesTrigger(),
        logBytesMax(),
        logSlotBytes(),
        addressSpaceBytes(),
        deadBytesTrigger());
  }

  private static void checkAtLeast(String name, long value, long minimum) {
    if (value < minimum) {
      throw new IllegalArgumentException(
          text("%s is %,d, the minimum is %,d", name, value, minimum));
    }
  }

  private static String text(String format, Object... arguments) {
    return String.format(Locale.ROOT, format, arguments);
  }
}
