package dev.kvdb.cli;

import dev.kvdb.Database;
import dev.kvdb.Table;
import dev.kvdb.WriteBatch;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kvdb load DB FILE}. */
@Command(
    name = "load",
    description = "Store the entries of a file, in batches; creates a missing database.")
final class LoadCommand extends DatabaseCommand {
  private static final int BATCH_MAX = 1_000_000;

  /** A batch of large values is committed early, so that it stays far below what a log holds. */
  private static final long BATCH_BYTES_MAX = 8L << 20;

  @Parameters(index = "1", paramLabel = "FILE", description = "The file; - is standard input.")
  String file;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      converter = EntryFormat.Converter.class,
      description = "The format of the file: tsv, jsonl or dbdump; tsv if left out.")
  EntryFormat format = EntryFormat.TSV;

  @Option(
      names = "--batch",
      paramLabel = "N",
      description = "Entries in one commit; 1000 if left out.")
  int batchSize = 1000;

  private long committed;

  LoadCommand(Streams streams) {
    super(streams);
  }

  @Override
  public Integer call() throws IOException {
    if (batchSize < 1 || batchSize > BATCH_MAX) {
      throw wrongUsage("--batch is " + batchSize + ", it must be 1 to " + BATCH_MAX);
    }
    // The input comes first: a name that does not exist must not create a database.
    if (file.equals("-")) {
      load(streams.in(), "standard input");
    } else {
      try (InputStream in = Files.newInputStream(Path.of(file))) {
        load(in, file);
      }
    }
    return ExitStatus.SUCCESS;
  }

  private void load(InputStream in, String name) throws IOException {
    EntryReader reader = format.reader(in, options.keys, options.values);
    try (Database database = openForWriting(true);
        Progress progress = new Progress(streams)) {
      load(reader, database, progress);
    } catch (BadInputException e) {
      throw new CliException(
          ExitStatus.FAILURE,
          String.format(
              Locale.ROOT,
              "line %d of %s: %s (%,d entries before it were committed, nothing of its batch)",
              e.lineNumber(),
              name,
              e.getMessage(),
              committed),
          e);
    } catch (IOException e) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "reading %s: %s (%,d entries were committed)",
              name,
              e.getMessage(),
              committed),
          e);
    }
    streams
        .out()
        .line(
            "%d entries stored (durability %s, %d a batch)",
            committed, DurabilityConverter.nameOf(options.durability), batchSize);
  }

  private void load(EntryReader reader, Database database, Progress progress)
      throws IOException, BadInputException {
    Table table = database.table(options.tableName());
    WriteBatch batch = new WriteBatch();
    while (reader.next()) {
      add(reader, table, batch);
      if (batch.operationCount() >= batchSize || batch.byteCount() >= BATCH_BYTES_MAX) {
        commit(database, batch);
        progress.report(committed);
      }
    }
    commit(database, batch);
  }

  private static void add(EntryReader reader, Table table, WriteBatch batch)
      throws BadInputException {
    try {
      batch.put(table, reader.key(), reader.value());
    } catch (IllegalArgumentException e) {
      throw new BadInputException(reader.lineNumber(), e.getMessage());
    }
  }

  private void commit(Database database, WriteBatch batch) {
    if (batch.isEmpty()) {
      return;
    }
    database.write(batch);
    committed += batch.operationCount();
    batch.clear();
  }
}
