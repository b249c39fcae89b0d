package dev.kvdb.disk;

import dev.kvdb.nativecalls.NativeCalls.FlushLevel;

/** What a flush means on the simulated system. */
public enum Drive {
  /** Every flush empties the drive's cache, and takes mapped stores with it. */
  LINUX,
  /**
   * Only {@link FlushLevel#FULL} empties the drive's cache, and it takes only those mapped stores
   * that were handed over by a mapping's sync before. The order that a barrier gives is not
   * modelled: a barrier keeps nothing back here, which is weaker than a real one.
   */
  DARWIN;

  boolean survivesPowerCut(FlushLevel level) {
    return this == LINUX || level == FlushLevel.FULL;
  }

  boolean storesNeedHandOver() {
    return this == DARWIN;
  }
}
