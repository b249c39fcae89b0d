package dev.kvdb.log;

import dev.kvdb.nativecalls.NativeCalls;
import dev.kvdb.nativecalls.NativeCalls.MappedFile;
import dev.kvdb.nativecalls.NativeCalls.OpenMode;
import java.nio.file.Path;

/**
 * One file of the ring, while a log is open for writing. It is prepared for one slot number after
 * the other. Who may change it is said in {@link SlotRing}.
 */
final class SlotFile {
  final int index;
  final Path path;

  /** The descriptor; -1 until the file is opened. */
  int descriptor = -1;

  /** Null unless the log is written through mappings. */
  MappedFile mapping;

  /** Whether the file was given the size of a slot, and is mapped if it is to be. */
  boolean hasBlocks;

  /** The slot this file is, or is being prepared to be; 0 if none. */
  long number;

  /** The salt of that slot. */
  long salt;

  /** When the log has gone on to another slot: the LSN of the last record in this one or before. */
  long lastLsn;

  SlotFile(int index, Path path) {
    this.index = index;
    this.path = path;
  }

  /**
   * Opens the file if it is not open, and looks whose it is.
   *
   * @return false if it is foreign; it is closed again then
   */
  boolean open(NativeCalls calls, LogIdentity identity) {
    if (descriptor >= 0) {
      return true;
    }
    int opened = calls.open(path, OpenMode.CREATE);
    try {
      if (calls.status(opened).isRegularFile()
          && SlotHeader.read(calls, opened, identity).kind() != SlotHeader.Kind.FOREIGN) {
        descriptor = opened;
        return true;
      }
    } finally {
      if (descriptor < 0) {
        calls.close(opened);
      }
    }
    return false;
  }

  /** Unmaps and closes the file; both are tried even if one fails. */
  void close(NativeCalls calls) {
    MappedFile mapped = mapping;
    int open = descriptor;
    mapping = null;
    descriptor = -1;
    hasBlocks = false;
    try {
      if (mapped != null) {
        mapped.close();
      }
    } finally {
      if (open >= 0) {
        calls.close(open);
      }
    }
  }
}
