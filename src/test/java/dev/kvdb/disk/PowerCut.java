package dev.kvdb.disk;

import dev.kvdb.disk.DiskState.FileState;
import dev.kvdb.disk.ImageChoice.Data;
import dev.kvdb.disk.ImageChoice.Names;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Decides what survives a power cut and builds what is left. Used once. */
final class PowerCut {
  private static final int SECTOR_SIZE = 512;

  /** One pending operation: a change of a file's data, or one or two changes of names. */
  private static final class Unit {
    final long sequence;
    final PendingData data;
    final List<PendingName> names = new ArrayList<>(2);
    boolean keepsData;
    boolean keepsSize;
    boolean keepsRemoval;

    Unit(long sequence, PendingData data) {
      this.sequence = sequence;
      this.data = data;
    }

    boolean hasTwoParts() {
      return data == null ? names.size() == 2 : data.operation.data() != null && data.changesSize();
    }

    void keep(boolean kept) {
      keepsData = kept;
      keepsSize = kept;
      keepsRemoval = kept;
    }

    void keepParts(boolean firstPart, boolean secondPart) {
      keepsData = firstPart;
      keepsSize = data != null && data.operation.data() != null ? secondPart : firstPart;
      // A rename may leave both names, but never neither.
      keepsRemoval = names.size() < 2 ? firstPart : firstPart && secondPart;
    }
  }

  private final DiskState before;
  private final ImageChoice choice;
  private final SplittableRandom random;
  private final List<Unit> dataUnits = new ArrayList<>();
  private final List<Unit> nameUnits = new ArrayList<>();
  private final Map<PendingData, Unit> unitOfData = new HashMap<>();
  private final StringBuilder decisions = new StringBuilder();

  PowerCut(DiskState before, ImageChoice choice) {
    this.before = before;
    this.choice = choice;
    this.random = new SplittableRandom(choice.seed());
    collectUnits();
  }

  /** What was decided, in a form that is equal for equal images of one state. */
  String decisions() {
    return decisions.toString();
  }

  /** A state in which all that survived is durable and nothing is pending. */
  DiskState build() {
    decide();
    DiskState after = new DiskState(before.drive());
    after.directories().addAll(before.directories());
    Map<String, Integer> names = new TreeMap<>(before.durableNames());
    nameUnits.forEach(unit -> applyNames(unit, names));
    for (int number : new HashSet<>(names.values())) {
      after.addDurableFile(number, survivingContent(before.file(number)));
    }
    names.forEach(after::addDurableName);
    return after;
  }

  private void collectUnits() {
    for (FileState file : before.files().values()) {
      for (PendingData change : file.pending()) {
        if (!change.durable) {
          Unit unit = new Unit(change.sequence, change);
          dataUnits.add(unit);
          unitOfData.put(change, unit);
        }
      }
    }
    dataUnits.sort(Comparator.comparingLong(unit -> unit.sequence));
    for (PendingName change : before.pendingNames()) {
      Unit last = nameUnits.isEmpty() ? null : nameUnits.getLast();
      if (last == null || last.sequence != change.sequence()) {
        last = new Unit(change.sequence(), null);
        nameUnits.add(last);
      }
      last.names.add(change);
    }
  }

  private void decide() {
    List<Unit> decidedTogether = new ArrayList<>(dataUnits);
    if (choice.names() == Names.AS_DATA) {
      decidedTogether.addAll(nameUnits);
      decidedTogether.sort(Comparator.comparingLong(unit -> unit.sequence));
    }
    decide(decidedTogether);
    for (Unit unit : nameUnits) {
      switch (choice.names()) {
        case UNDONE -> unit.keep(false);
        case KEPT -> unit.keep(true);
        case RANDOM -> unit.keepParts(random.nextBoolean(), random.nextBoolean());
        case AS_DATA -> {}
      }
    }
    for (Unit unit : nameUnits) {
      decisions.append(unit.keepsData ? 'N' : '-').append(unit.keepsRemoval ? 'R' : '-');
    }
  }

  private void decide(List<Unit> units) {
    int count = units.size();
    switch (choice.data()) {
      case NOTHING -> units.forEach(unit -> unit.keep(false));
      case EVERYTHING -> units.forEach(unit -> unit.keep(true));
      case PREFIX -> {
        int kept = random.nextInt(count + 1);
        units.subList(0, kept).forEach(unit -> unit.keep(true));
      }
      case SUBSET -> units.forEach(this::keepAtRandom);
      case TORN ->
          units.forEach(unit -> unit.keepParts(random.nextInt(8) != 0, random.nextInt(8) != 0));
      case REORDER -> {
        units.forEach(this::keepAtRandom);
        if (count >= 2) {
          int kept = 1 + random.nextInt(count - 1);
          units.get(kept).keep(true);
          units.get(random.nextInt(kept)).keep(false);
        }
      }
      case ONLY_LAST -> {
        if (count > 0) {
          units.getLast().keep(true);
        }
      }
      case ALL_BUT_ONE -> {
        units.forEach(unit -> unit.keep(true));
        if (count > 0) {
          Unit victim = units.get(random.nextInt(count));
          switch (random.nextInt(victim.hasTwoParts() ? 4 : 1)) {
            case 2 -> victim.keepParts(true, false);
            case 3 -> victim.keepParts(false, true);
            default -> victim.keep(false);
          }
        }
      }
    }
  }

  private void keepAtRandom(Unit unit) {
    unit.keepParts(random.nextBoolean(), random.nextBoolean());
  }

  private static void applyNames(Unit unit, Map<String, Integer> names) {
    for (PendingName change : unit.names) {
      if (change.removes() ? unit.keepsRemoval : unit.keepsData) {
        DiskState.setOrRemove(names, change);
      }
    }
  }

  private FileContent survivingContent(FileState file) {
    FileContent content = file.durable().copy();
    for (PendingData change : file.pending()) {
      Unit unit = unitOfData.get(change);
      if (unit == null) {
        change.applyTo(content);
        continue;
      }
      if (unit.keepsSize) {
        change.applySize(content);
      }
      boolean keepsBytes = unit.keepsData && change.operation.data() != null;
      decisions
          .append(keepsBytes ? 'D' : '-')
          .append(unit.keepsSize && change.changesSize() ? 'S' : '-');
      if (keepsBytes) {
        applyBytes(content, change.operation);
      }
    }
    // What lies behind the end that survived is gone.
    content.truncate(content.size());
    return content;
  }

  private void applyBytes(FileContent content, Operation operation) {
    byte[] data = operation.data();
    if (choice.data() != Data.TORN) {
      content.write(operation.offset(), data, 0, data.length);
      return;
    }
    long firstSector = operation.offset() / SECTOR_SIZE;
    long end = operation.offset() + data.length;
    int sectors = Math.toIntExact((end + SECTOR_SIZE - 1) / SECTOR_SIZE - firstSector);
    int shape = random.nextInt(4);
    int cut = random.nextInt(sectors + 1);
    for (int i = 0; i < sectors; i++) {
      boolean kept =
          switch (shape) {
            case 0 -> i < cut;
            case 1 -> i >= cut;
            default -> random.nextBoolean();
          };
      decisions.append(kept ? '1' : '0');
      if (kept) {
        long from = Math.max(operation.offset(), (firstSector + i) * SECTOR_SIZE);
        long to = Math.min(end, (firstSector + i + 1) * SECTOR_SIZE);
        content.write(from, data, (int) (from - operation.offset()), (int) (to - from));
      }
    }
  }
}
