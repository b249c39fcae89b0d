package dev.kvdb.log;

/**
 * How a log is written.
 *
 * @param slotBytes the size of a slot file: a multiple of 4,096, at least {@link
 *     LogFormat#SLOT_BYTES_MIN}
 * @param capBytes how large the log may become before commits wait for a checkpoint: at least two
 *     slots
 * @param mapped whether records are stored into mapped files rather than written with a call each
 */
public record LogOptions(long slotBytes, long capBytes, boolean mapped) {
  /**
   * Checks the sizes.
   *
   * @throws IllegalArgumentException if a size is outside its limits; the message names both
   */
  public LogOptions {
    if (slotBytes < LogFormat.SLOT_BYTES_MIN
        || slotBytes > Integer.MAX_VALUE
        || slotBytes % LogFormat.HEADER_BLOCK_BYTES != 0) {
      throw new IllegalArgumentException(
          "a log slot of "
              + slotBytes
              + " bytes: it must be a multiple of "
              + LogFormat.HEADER_BLOCK_BYTES
              + ", at least "
              + LogFormat.SLOT_BYTES_MIN
              + " and less than 2 GiB");
    }
    if (capBytes < 2 * slotBytes) {
      throw new IllegalArgumentException(
          "a log of at most "
              + capBytes
              + " bytes: it must hold at least two slots of "
              + slotBytes
              + " bytes");
    }
  }
}
