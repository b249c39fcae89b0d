package dev.kvdb.cli;

import dev.kvdb.Database;
import dev.kvdb.Durability;
import picocli.CommandLine.Option;

/** The options of every command that works on a database. */
final class DatabaseOptions extends GeneralOptions {
  @Option(
      names = "--table",
      paramLabel = "NAME",
      description = "The table; left out: the table \"" + Database.DEFAULT_TABLE_NAME + "\".")
  String table;

  @Option(
      names = "--durability",
      paramLabel = "LEVEL",
      converter = DurabilityConverter.class,
      description = "What a commit survives: none, fsync, barrier or full; fsync if left out.")
  Durability durability = Durability.FSYNC;

  @Option(
      names = "--keys",
      paramLabel = "ENCODING",
      converter = Encoding.KeyConverter.class,
      description = "How keys are written: text, hex, base64 or int64; text if left out.")
  Encoding keys = Encoding.TEXT;

  @Option(
      names = "--values",
      paramLabel = "ENCODING",
      converter = Encoding.ValueConverter.class,
      description = "How values are written: text, hex or base64; text if left out.")
  Encoding values = Encoding.TEXT;

  @Option(
      names = "--read-only",
      description = "Open for reading only; commands that only read always do.")
  boolean readOnly;

  /** The name of the table that is meant. */
  String tableName() {
    return table == null ? Database.DEFAULT_TABLE_NAME : table;
  }
}
