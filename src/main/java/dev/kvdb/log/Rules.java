package dev.kvdb.log;

/**
 * What a reader insists on. Only {@link #STRICT} is right; a test loosens one rule to prove that
 * another would notice if the reader forgot it.
 *
 * @param checksPredecessor whether a record must carry the checksum of the record before it
 * @param dropsUnfinished whether parts without their last one are dropped when another commit
 *     begins
 */
public record Rules(boolean checksPredecessor, boolean dropsUnfinished) {
  /** Every rule holds. */
  public static final Rules STRICT = new Rules(true, true);
}
