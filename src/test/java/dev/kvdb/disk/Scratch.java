package dev.kvdb.disk;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A directory of real files that shows what a simulated disk holds. */
final class Scratch {
  private static final Path IN_MEMORY = Path.of("/dev/shm");

  private final Path directory;

  /**
   * Makes the directory, in memory where the system has a place for that, and the state's files.
   */
  Scratch(DiskState state) {
    try {
      Path parent =
          Files.isWritable(IN_MEMORY) ? IN_MEMORY : Path.of(System.getProperty("java.io.tmpdir"));
      directory = Files.createTempDirectory(parent, "kvdb-disk-").toRealPath();
      for (String name : state.directories()) {
        Files.createDirectories(directory.resolve(name));
      }
      writeFiles(state);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void writeFiles(DiskState state) throws IOException {
    Map<Integer, Path> firstNames = new HashMap<>();
    for (Map.Entry<String, Integer> entry : state.visibleNames().entrySet()) {
      Path path = directory.resolve(entry.getKey());
      Path firstName = firstNames.putIfAbsent(entry.getValue(), path);
      if (firstName != null) {
        Files.createLink(path, firstName);
        continue;
      }
      try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
        state.file(entry.getValue()).visible().writeTo(file);
      }
    }
  }

  Path directory() {
    return directory;
  }

  /** The name of a path relative to the directory, {@code ""} for the directory itself. */
  String nameOf(Path path) {
    Path absolute = path.toAbsolutePath().normalize();
    if (!absolute.startsWith(directory)) {
      throw new IllegalArgumentException(path + " is outside the simulated disk " + directory);
    }
    return directory.relativize(absolute).toString();
  }

  void delete() {
    try (Stream<Path> all = Files.walk(directory)) {
      List<Path> deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
      for (Path path : deepestFirst) {
        Files.delete(path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
