package dev.kvdb.log;

/**
 * A place in the log, between two records: where replay starts.
 *
 * @param slotNumber the number of the slot, 1 or more
 * @param slotSalt the random salt in that slot's header
 * @param offset bytes from the start of the slot file; a multiple of 8
 * @param nextLsn the LSN of the record that goes there, 1 or more
 * @param chain the CRC32C of the record before it; a random value where a chain starts
 */
public record LogPosition(long slotNumber, long slotSalt, long offset, long nextLsn, int chain) {}
