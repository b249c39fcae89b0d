package dev.kvdb.cli;

import dev.kvdb.Database;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code kvdb drop DB TABLE}. */
@Command(name = "drop", description = "Remove a table with all its entries.")
final class DropCommand extends DatabaseCommand {
  @Parameters(index = "1", paramLabel = "TABLE", description = "The table's name.")
  String tableName;

  DropCommand(Streams streams) {
    super(streams);
  }

  @Override
  public Integer call() {
    if (options.table != null) {
      throw wrongUsage("drop takes the table as its operand, not as --table");
    }
    try (Database database = openForWriting(false)) {
      database.dropTable(tableName);
    }
    return ExitStatus.SUCCESS;
  }
}
