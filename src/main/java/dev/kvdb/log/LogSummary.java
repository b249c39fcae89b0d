package dev.kvdb.log;

/**
 * What a log was found to hold.
 *
 * @param lastLsn the LSN of the last record that can be trusted; one less than the start's if there
 *     is none
 * @param nextCommitNumber one more than the largest commit number of any trusted record; 0 if there
 *     is none
 * @param records how many records can be trusted
 * @param commits how many whole commits they make
 * @param durableLsn the highest LSN known to survive a power cut when a trusted record was written
 * @param end the place behind the last trusted record
 * @param unbroken whether the numbers of the slots run without a gap from the start slot to the
 *     highest found
 */
public record LogSummary(
    long lastLsn,
    long nextCommitNumber,
    long records,
    long commits,
    long durableLsn,
    LogPosition end,
    boolean unbroken) {}
