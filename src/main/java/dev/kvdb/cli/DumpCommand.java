package dev.kvdb.cli;

import dev.kvdb.Cursor;
import dev.kvdb.Database;
import dev.kvdb.ReadTransaction;
import dev.kvdb.TableSnapshot;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kvdb dump DB [FILE]}. */
@Command(
    name = "dump",
    description = "Write all entries of a table, as of one moment, in a form that load takes.")
final class DumpCommand extends DatabaseCommand {
  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "FILE",
      description = "The file; standard output if left out or -.")
  String file;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      converter = EntryFormat.Converter.class,
      description = "The format of the file: tsv, jsonl or dbdump; tsv if left out.")
  EntryFormat format = EntryFormat.TSV;

  DumpCommand(Streams streams) {
    super(streams);
  }

  @Override
  public Integer call() throws IOException {
    try (Database database = openForReading();
        ReadTransaction snapshot = database.beginRead()) {
      Optional<TableSnapshot> table = tableIn(snapshot);
      if (file == null || file.equals("-")) {
        dump(table, streams.out());
      } else {
        dump(table, Path.of(file));
      }
    }
    return ExitStatus.SUCCESS;
  }

  /** A file gets its name only once it is whole; what is no regular file is written in place. */
  private void dump(Optional<TableSnapshot> table, Path target) throws IOException {
    if (Files.exists(target) && !Files.isRegularFile(target)) {
      write(table, target);
      return;
    }
    if (Files.exists(target) && Files.isSameFile(target, databaseFile)) {
      throw new CliException(
          ExitStatus.FAILURE, "that is the database itself, not a place for its dump");
    }
    Path unfinished = target.resolveSibling(target.getFileName() + ".unfinished");
    try {
      write(table, unfinished);
      Files.move(unfinished, target, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(unfinished);
    }
  }

  private void write(Optional<TableSnapshot> table, Path path) throws IOException {
    try (OutputStream stream = Files.newOutputStream(path)) {
      Output out = new Output(stream);
      dump(table, out);
      out.flush();
    } catch (OutputException e) {
      throw new IOException("writing " + path + ": " + e.getCause().getMessage(), e);
    }
  }

  private void dump(Optional<TableSnapshot> table, Output out) {
    EntryWriter writer = format.writer(out, options.keys, options.values);
    writer.begin();
    if (table.isPresent()) {
      try (Cursor cursor = table.get().cursor()) {
        while (cursor.next()) {
          writer.write(cursor.key(), cursor.value());
        }
      }
    }
    writer.end();
  }
}
