package dev.kvdb.disk;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What is durable and what is pending at one point of a history; a history is replayed by applying
 * its operations in order. Copies share all bytes. Not thread-safe.
 */
final class DiskState {
  /** One file, whatever its names. */
  static final class FileState {
    private FileContent durable = new FileContent();
    private final List<PendingData> pending = new ArrayList<>();

    /** What no power cut takes. */
    FileContent durable() {
      return durable;
    }

    /** What came later, oldest first. Elements may be durable behind one that is not. */
    List<PendingData> pending() {
      return pending;
    }

    /** What a read returns: everything applied. */
    FileContent visible() {
      FileContent content = durable.copy();
      pending.forEach(change -> change.applyTo(content));
      return content;
    }

    private void foldDurable() {
      Iterator<PendingData> changes = pending.iterator();
      while (changes.hasNext()) {
        PendingData change = changes.next();
        if (!change.durable) {
          return;
        }
        change.applyTo(durable);
        changes.remove();
      }
    }

    private FileState copy() {
      FileState copy = new FileState();
      copy.durable = durable.copy();
      pending.forEach(change -> copy.pending.add(change.copy()));
      return copy;
    }
  }

  private final Drive drive;
  private final Map<Integer, FileState> files = new HashMap<>();
  private final Map<String, Integer> durableNames = new TreeMap<>();
  private final Map<String, Integer> visibleNames = new TreeMap<>();
  private final List<PendingName> pendingNames = new ArrayList<>();
  private final Set<String> directories = new HashSet<>();
  private long firstSequence;
  private long nextSequence;

  DiskState(Drive drive) {
    this.drive = drive;
    directories.add("");
  }

  Drive drive() {
    return drive;
  }

  /** The names of the directories below the disk's own, which is {@code ""}. Always durable. */
  Set<String> directories() {
    return directories;
  }

  FileState file(int number) {
    return files.get(number);
  }

  Map<Integer, FileState> files() {
    return files;
  }

  Map<String, Integer> durableNames() {
    return durableNames;
  }

  Map<String, Integer> visibleNames() {
    return visibleNames;
  }

  List<PendingName> pendingNames() {
    return pendingNames;
  }

  int nextFileNumber() {
    return files.keySet().stream().mapToInt(number -> number + 1).max().orElse(0);
  }

  /** A copy whose own history starts at operation 0 and that forgot every file nothing leads to. */
  DiskState copyForNewHistory() {
    DiskState copy = new DiskState(drive);
    copy.directories.addAll(directories);
    copy.durableNames.putAll(durableNames);
    copy.visibleNames.putAll(visibleNames);
    copy.pendingNames.addAll(pendingNames);
    copy.firstSequence = nextSequence;
    copy.nextSequence = nextSequence;
    Set<Integer> reachable = new HashSet<>(durableNames.values());
    reachable.addAll(visibleNames.values());
    pendingNames.stream().filter(p -> !p.removes()).forEach(p -> reachable.add(p.target()));
    reachable.forEach(number -> copy.files.put(number, files.get(number).copy()));
    return copy;
  }

  /** Adds a file that is durable under some names. */
  void addDurableFile(int number, FileContent content) {
    FileState file = new FileState();
    file.durable = content;
    files.put(number, file);
  }

  /** Gives a file a durable name. */
  void addDurableName(String name, int number) {
    durableNames.put(name, number);
    visibleNames.put(name, number);
  }

  /** Takes the next operation of the history. */
  void apply(Operation operation) {
    long sequence = nextSequence++;
    if (operation.effect() == Effect.NONE && operation.kind() != Kind.FLUSH) {
      return;
    }
    switch (operation.kind()) {
      case PUT -> put(operation);
      case CREATE -> {
        files.put(operation.file(), new FileState());
        setName(sequence, operation.name(), operation.file());
      }
      case WRITE, STORE, ALLOCATE, TRUNCATE -> {
        boolean hasBytes = operation.data() != null && operation.data().length > 0;
        if (operation.sizeAfter() >= 0 || hasBytes) {
          file(operation.file()).pending.add(new PendingData(sequence, operation));
        }
      }
      case FLUSH -> flush(operation);
      case MSYNC -> handOver(operation);
      case LINK -> setName(sequence, operation.otherName(), operation.file());
      case RENAME -> {
        setName(sequence, operation.otherName(), operation.file());
        removeName(sequence, operation.name());
      }
      case UNLINK -> removeName(sequence, operation.name());
      case DIRSYNC -> syncDirectory(operation);
      case OPEN, READ -> throw new IllegalArgumentException("not recorded: " + operation);
    }
  }

  private void put(Operation operation) {
    FileContent content = new FileContent();
    content.write(0, operation.data(), 0, operation.data().length);
    content.setSize(operation.data().length);
    addDurableFile(operation.file(), content);
    pendingNames.removeIf(change -> change.name().equals(operation.name()));
    addDurableName(operation.name(), operation.file());
  }

  private void setName(long sequence, String name, int target) {
    visibleNames.put(name, target);
    pendingNames.add(new PendingName(sequence, name, target));
  }

  private void removeName(long sequence, String name) {
    visibleNames.remove(name);
    pendingNames.add(new PendingName(sequence, name, PendingName.NOTHING));
  }

  private void flush(Operation operation) {
    if (!operation.failed() && !drive.survivesPowerCut(operation.level())) {
      return;
    }
    FileState file = file(operation.file());
    List<PendingData> covered = new ArrayList<>();
    for (PendingData change : file.pending) {
      if (change.sequence < firstSequence + operation.coversBefore()
          && !change.durable
          && !change.abandoned) {
        covered.add(change);
      }
    }
    int written =
        switch (operation.effect()) {
          case NONE -> 0;
          case PARTIAL -> covered.size() / 2;
          case WHOLE -> covered.size();
        };
    for (PendingData change : covered.subList(0, written)) {
      if (change.operation.kind() != Kind.STORE
          || change.handedOver
          || !drive.storesNeedHandOver()) {
        change.durable = true;
      }
    }
    covered.subList(written, covered.size()).forEach(change -> change.abandoned = true);
    file.foldDurable();
  }

  private void handOver(Operation operation) {
    if (operation.file() < 0) {
      return;
    }
    long end = operation.offset() + operation.length();
    for (PendingData change : file(operation.file()).pending) {
      long from = change.operation.offset();
      if (from >= operation.offset() && from + change.operation.length() <= end) {
        change.handedOver = true;
      }
    }
  }

  private void syncDirectory(Operation operation) {
    if (operation.effect() != Effect.WHOLE) {
      return;
    }
    Iterator<PendingName> changes = pendingNames.iterator();
    while (changes.hasNext()) {
      PendingName change = changes.next();
      boolean covered = change.sequence() < firstSequence + operation.coversBefore();
      if (covered && directoryOf(change.name()).equals(operation.name())) {
        setOrRemove(durableNames, change);
        changes.remove();
      }
    }
  }

  static void setOrRemove(Map<String, Integer> names, PendingName change) {
    if (change.removes()) {
      names.remove(change.name());
    } else {
      names.put(change.name(), change.target());
    }
  }

  static String directoryOf(String name) {
    int slash = name.lastIndexOf('/');
    return slash < 0 ? "" : name.substring(0, slash);
  }
}
