package dev.kvdb.disk;

/**
 * A name that a power cut may still leave as it was.
 *
 * @param sequence its place among all pending changes; the two halves of a rename share it
 * @param name the name within the disk's directory
 * @param target the number of the file it leads to from now on, {@link #NOTHING} if removed
 */
record PendingName(long sequence, String name, int target) {
  static final int NOTHING = -1;

  boolean removes() {
    return target == NOTHING;
  }
}
