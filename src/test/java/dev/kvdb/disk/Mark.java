package dev.kvdb.disk;

/**
 * Something the test noted in the history.
 *
 * @param position how many operations were recorded before it
 * @param value what was noted, for example "commit 17 returned"
 */
public record Mark(int position, Object value) {}
