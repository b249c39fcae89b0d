package dev.kvdb.cli;

import dev.kvdb.Database;
import dev.kvdb.Options;
import dev.kvdb.ReadTransaction;
import dev.kvdb.Table;
import dev.kvdb.TableSnapshot;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * What every command on a database shares: its operand DB, the common options, how it is opened.
 */
abstract class DatabaseCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "DB", description = "The database's file.")
  Path databaseFile;

  @Mixin DatabaseOptions options;

  @Spec CommandSpec spec;

  final Streams streams;

  DatabaseCommand(Streams streams) {
    this.streams = streams;
  }

  /** Opens the database for reading; never creates it. */
  final Database openForReading() {
    checkName();
    return Database.open(databaseFile, Options.defaults().withReadOnly(true));
  }

  /** Opens the database for writing, commits at the wanted durability. */
  final Database openForWriting(boolean createIfMissing) {
    if (options.readOnly) {
      throw wrongUsage(spec.name() + " writes to the database, so --read-only does not go with it");
    }
    checkName();
    return Database.open(
        databaseFile,
        Options.defaults().withCreateIfMissing(createIfMissing).withDurability(options.durability));
  }

  private void checkName() {
    if (databaseFile.toString().isEmpty()) {
      throw wrongUsage("DB is empty: name the database's file");
    }
  }

  /**
   * The table that is meant, in a snapshot; empty if it is the default table and nothing was ever
   * stored in it.
   */
  final Optional<TableSnapshot> tableIn(ReadTransaction snapshot) {
    String name = options.tableName();
    if (snapshot.hasTable(name)) {
      return Optional.of(snapshot.in(name));
    }
    checkMayBeMissing(name, snapshot.tableNames());
    return Optional.empty();
  }

  /** The table that is meant, for deleting from it; empty as in {@link #tableIn}. */
  final Optional<Table> existingTable(Database database) {
    Optional<Table> table = database.findTable(options.tableName());
    if (table.isEmpty()) {
      checkMayBeMissing(options.tableName(), database.tableNames());
    }
    return table;
  }

  /** A missing default table is an empty one; a missing table that was named is a mistake. */
  private void checkMayBeMissing(String name, List<String> tableNames) {
    if (options.table == null) {
      return;
    }
    String hint =
        tableNames.isEmpty()
            ? "it has no tables yet"
            : "its tables: " + String.join(", ", tableNames);
    throw new CliException(ExitStatus.FAILURE, "there is no table \"" + name + "\" (" + hint + ")");
  }

  /** The bytes of a key from the command line. */
  final byte[] parseKey(String what, String text) {
    return parse(what, text, options.keys);
  }

  /** The bytes of a value from the command line. */
  final byte[] parseValue(String text) {
    return parse("VALUE", text, options.values);
  }

  private static byte[] parse(String what, String text, Encoding encoding) {
    try {
      return encoding.parse(text);
    } catch (IllegalArgumentException e) {
      throw new CliException(ExitStatus.FAILURE, what + " \"" + text + "\": " + e.getMessage(), e);
    }
  }

  /** A failure that ends with the command's usage text. */
  final ParameterException wrongUsage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
