package dev.kvdb.log;

import dev.kvdb.nativecalls.NativeCalls;
import dev.kvdb.nativecalls.NativeCalls.FileStatus;
import dev.kvdb.nativecalls.NativeCalls.OpenMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The slot files found beside a page file, by what their headers say. Reading it changes nothing.
 *
 * @param slots those of this database and timeline, by rising slot number
 * @param unusedFiles those that are empty or have a header of zeros
 * @param foreignFiles all others under names of the log: never replayed, written or deleted
 */
public record LogDirectory(
    List<Slot> slots, List<SlotName> unusedFiles, List<SlotName> foreignFiles) {

  /**
   * A name of the log.
   *
   * @param index the number at its end
   * @param path the whole name
   */
  public record SlotName(int index, Path path) {}

  /**
   * A slot file of this database.
   *
   * @param name where it is
   * @param number its slot number
   * @param salt the salt in its header
   * @param slotBytes its size as its header has it
   */
  public record Slot(SlotName name, long number, long salt, long slotBytes) {}

  /**
   * Looks at every name of the log. The search ends where {@link LogFormat#MISSING_NAMES_MAX} names
   * in a row are missing: names are taken from the lowest up and given back from the highest down,
   * so larger gaps do not come about by themselves.
   *
   * @throws dev.kvdb.nativecalls.NativeCallException if a file cannot be opened or read
   */
  public static LogDirectory scan(NativeCalls calls, Path pageFile, LogIdentity identity) {
    List<Slot> slots = new ArrayList<>();
    List<SlotName> unused = new ArrayList<>();
    List<SlotName> foreign = new ArrayList<>();
    int missing = 0;
    for (int index = 0; missing < LogFormat.MISSING_NAMES_MAX; index++) {
      SlotName name = new SlotName(index, LogFormat.slotFile(pageFile, index));
      FileStatus status = calls.status(name.path());
      if (status == null) {
        missing++;
        continue;
      }
      missing = 0;
      SlotHeader.Found found = look(calls, name.path(), status, identity);
      switch (found.kind()) {
        case OURS -> {
          SlotHeader header = found.header();
          slots.add(new Slot(name, header.number(), header.salt(), header.slotBytes()));
        }
        case UNUSED -> unused.add(name);
        case FOREIGN -> foreign.add(name);
      }
    }
    slots.sort(Comparator.comparingLong(Slot::number));
    return new LogDirectory(List.copyOf(slots), List.copyOf(unused), List.copyOf(foreign));
  }

  private static SlotHeader.Found look(
      NativeCalls calls, Path path, FileStatus status, LogIdentity identity) {
    if (!status.isRegularFile()) {
      return new SlotHeader.Found(SlotHeader.Kind.FOREIGN, null);
    }
    int descriptor = calls.open(path, OpenMode.READ_ONLY);
    try {
      return SlotHeader.read(calls, descriptor, identity);
    } finally {
      calls.close(descriptor);
    }
  }

  /** The highest number of any slot of this database, 0 if there is none. */
  public long highestSlotNumber() {
    return slots.isEmpty() ? 0 : slots.getLast().number();
  }
}
