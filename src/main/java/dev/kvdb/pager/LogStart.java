package dev.kvdb.pager;

/**
 * Where the replay of the log begins, as a meta page names it. The pager only keeps it.
 *
 * @param slotNumber the number of the slot
 * @param slotSalt its salt, so that no other slot of that number can stand in for it
 * @param offset of the first record, in bytes from the start of the slot's file
 * @param chain the checksum that the first record names as its predecessor's
 */
public record LogStart(long slotNumber, long slotSalt, long offset, int chain) {}
