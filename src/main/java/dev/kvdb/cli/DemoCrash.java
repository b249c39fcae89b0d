package dev.kvdb.cli;

import dev.kvdb.Database;
import dev.kvdb.Durability;
import dev.kvdb.KeyRange;
import dev.kvdb.Table;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Runs the demo's writer in a process of its own, kills it, and compares what is left. */
final class DemoCrash {
  /** A writer that has not committed anything by then never will. */
  private static final long FIRST_COMMIT_SECONDS = 20;

  /** What a process killed with SIGKILL ends with. */
  private static final int EXIT_OF_SIGKILL = 128 + 9;

  private final Path file;
  private final Durability durability;

  DemoCrash(Path file, Durability durability) {
    this.file = file;
    this.durability = durability;
  }

  /**
   * What was found after the crash.
   *
   * @param openNanos how long opening took, recovery included
   * @param recovered commits that are wholly there
   * @param lost commits that were acknowledged and are not wholly there
   * @param partial commits of which a part is there
   * @param strays entries that belong to no commit, or are missing from the shared one
   */
  record Findings(long openNanos, long recovered, long lost, long partial, long strays) {}

  /**
   * Starts the writer, lets it commit for a while, kills it.
   *
   * @return how many commits it acknowledged, up to the last byte it managed to write
   */
  long runWriterAndKill(int millis) throws IOException, InterruptedException {
    try (Database database = Database.open(file)) {
      database.table(DemoOrders.TABLE_NAME).deleteRange(KeyRange.all());
    }
    Path errorFile = file.resolveSibling("writer-errors.txt");
    Process writer =
        new ProcessBuilder(command())
            .redirectError(ProcessBuilder.Redirect.to(errorFile.toFile()))
            .start();
    CountDownLatch firstCommit = new CountDownLatch(1);
    Thread killer = Thread.ofPlatform().daemon().unstarted(() -> kill(writer, firstCommit, millis));
    killer.start();
    long acknowledged;
    try {
      acknowledged = readAcknowledgements(writer, firstCommit);
    } finally {
      writer.destroyForcibly();
      killer.interrupt();
    }
    int exit = writer.waitFor();
    if (acknowledged == 0 || exit != EXIT_OF_SIGKILL) {
      throw new CliException(
          ExitStatus.FAILURE,
          "the demo's writer ended by itself after "
              + acknowledged
              + " commits, exit status "
              + exit
              + ": "
              + Files.readString(errorFile));
    }
    Files.delete(errorFile);
    return acknowledged;
  }

  private static void kill(Process writer, CountDownLatch firstCommit, int millis) {
    try {
      if (firstCommit.await(FIRST_COMMIT_SECONDS, TimeUnit.SECONDS)) {
        Thread.sleep(millis);
      }
    } catch (InterruptedException e) {
      // Whoever waits for the writer has stopped waiting: nothing is left but to kill it.
      Thread.currentThread().interrupt();
    }
    // Not Process.destroyForcibly: that also closes the pipe, with acknowledgements still in it.
    writer.toHandle().destroyForcibly();
  }

  /** Reads until the writer is dead; a number of which only a part arrived does not count. */
  private static long readAcknowledgements(Process writer, CountDownLatch firstCommit)
      throws IOException {
    long acknowledged = 0;
    try (DataInputStream in = new DataInputStream(writer.getInputStream())) {
      while (true) {
        long order = in.readLong();
        if (order != acknowledged + 1) {
          throw new CliException(
              ExitStatus.FAILURE, "the writer acknowledged " + order + " after " + acknowledged);
        }
        acknowledged = order;
        firstCommit.countDown();
      }
    } catch (EOFException e) {
      return acknowledged;
    }
  }

  /** Opens the database, which recovers it, and looks for every order. */
  Findings reopenAndCompare(long acknowledged) {
    long begin = System.nanoTime();
    try (Database database = Database.open(file)) {
      long openNanos = System.nanoTime() - begin;
      Table table = database.table(DemoOrders.TABLE_NAME);
      long recovered = 0;
      long partial = 0;
      long lost = 0;
      // One commit may have become durable whose acknowledgement was cut off; look further anyway.
      long newest = Math.max(acknowledged, DemoOrders.lastOrder(table)) + 1000;
      for (long order = 1; order <= newest; order++) {
        int entries = DemoOrders.entriesOf(table, order);
        boolean isWhole = entries == DemoOrders.OWN_ENTRIES && order <= DemoOrders.lastOrder(table);
        if (isWhole) {
          recovered++;
        } else {
          partial += entries > 0 ? 1 : 0;
          lost += order <= acknowledged ? 1 : 0;
        }
      }
      long expectedEntries = recovered * DemoOrders.OWN_ENTRIES + (recovered > 0 ? 1 : 0);
      long strays = Math.abs(table.count() - expectedEntries);
      if (DemoOrders.lastOrder(table) != recovered) {
        strays++;
      }
      return new Findings(openNanos, recovered, lost, partial, strays);
    }
  }

  /** The command that runs the writer with the Java and the classes this process runs with. */
  private List<String> command() {
    List<String> command = new ArrayList<>();
    command.add(
        ProcessHandle.current()
            .info()
            .command()
            .orElse(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    command.add("-XX:+UseSerialGC");
    Module module = DemoWriter.class.getModule();
    if (module.isNamed()) {
      command.add("--enable-native-access=" + module.getName());
      command.add("--module-path");
      command.add(System.getProperty("jdk.module.path"));
      command.add("--module");
      command.add(module.getName() + "/" + DemoWriter.class.getName());
    } else {
      command.add("--enable-native-access=ALL-UNNAMED");
      command.add("-cp");
      command.add(System.getProperty("java.class.path"));
      command.add(DemoWriter.class.getName());
    }
    command.add(file.toString());
    command.add(durability.name());
    return command;
  }
}
