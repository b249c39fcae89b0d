package dev.kvdb.cli;

import dev.kvdb.Database;
import dev.kvdb.ReadTransaction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kvdb get DB KEY}. */
@Command(name = "get", description = "Print one value; exit status 1 if the key is not there.")
final class GetCommand extends DatabaseCommand {
  @Parameters(index = "1", paramLabel = "KEY", description = "The key.")
  String key;

  @Option(names = "--raw", description = "Print the value's bytes and nothing else.")
  boolean raw;

  GetCommand(Streams streams) {
    super(streams);
  }

  @Override
  public Integer call() {
    byte[] keyBytes = parseKey("KEY", key);
    byte[] value;
    try (Database database = openForReading();
        ReadTransaction snapshot = database.beginRead()) {
      value = tableIn(snapshot).map(table -> table.get(keyBytes)).orElse(null);
    }
    if (value == null) {
      throw new CliException(ExitStatus.KEY_NOT_FOUND, "there is no key \"" + key + "\"");
    }
    if (raw) {
      streams.out().write(value);
    } else {
      streams.out().line(options.values.format(value));
    }
    return ExitStatus.SUCCESS;
  }
}
