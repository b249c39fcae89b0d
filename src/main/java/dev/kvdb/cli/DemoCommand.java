package dev.kvdb.cli;

import dev.kvdb.Durability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code kvdb demo}. */
@Command(
    name = "demo",
    description = "Show kvdb at work: real data, a killed writer, the cost of a commit.")
final class DemoCommand implements Callable<Integer> {
  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "Where the files go; a new folder for temporary files if left out.")
  Path directory;

  @Option(
      names = "--durability",
      paramLabel = "LEVEL",
      converter = DurabilityConverter.class,
      description = "Of the load and the writer: none, fsync, barrier or full; fsync if left out.")
  Durability durability = Durability.FSYNC;

  @Mixin GeneralOptions options;

  private final Streams streams;

  DemoCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (directory == null) {
      directory = Files.createTempDirectory("kvdb-demo-");
    } else if (!Files.isDirectory(directory)) {
      createDirectory();
    }
    return new Demo(streams.out(), databaseFile(), durability, Demo.Pace.NORMAL).run();
  }

  /** The database of the demo, for messages too; null while its folder is not known. */
  Path databaseFile() {
    return directory == null ? null : directory.resolve("demo.kvdb");
  }

  private void createDirectory() throws IOException {
    Path parent = directory.toAbsolutePath().getParent();
    if (parent != null && !Files.isDirectory(parent)) {
      throw new CliException(
          ExitStatus.FAILURE, "there is no folder " + parent + " (create it first)");
    }
    Files.createDirectory(directory);
  }
}
