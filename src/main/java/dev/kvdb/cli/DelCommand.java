package dev.kvdb.cli;

import dev.kvdb.Database;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code kvdb del DB KEY}. */
@Command(name = "del", description = "Delete one key; exit status 1 if it was not there.")
final class DelCommand extends DatabaseCommand {
  @Parameters(index = "1", paramLabel = "KEY", description = "The key.")
  String key;

  DelCommand(Streams streams) {
    super(streams);
  }

  @Override
  public Integer call() {
    byte[] keyBytes = parseKey("KEY", key);
    boolean wasThere;
    try (Database database = openForWriting(false)) {
      wasThere = existingTable(database).map(table -> table.delete(keyBytes)).orElse(false);
    }
    if (!wasThere) {
      throw new CliException(ExitStatus.KEY_NOT_FOUND, "there is no key \"" + key + "\"");
    }
    return ExitStatus.SUCCESS;
  }
}
