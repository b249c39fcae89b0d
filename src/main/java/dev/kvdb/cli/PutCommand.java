package dev.kvdb.cli;

import dev.kvdb.Database;
import dev.kvdb.Limits;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kvdb put DB KEY VALUE}. */
@Command(name = "put", description = "Store one value; creates a missing database.")
final class PutCommand extends DatabaseCommand {
  @Parameters(index = "1", paramLabel = "KEY", description = "The key.")
  String key;

  @Parameters(index = "2", arity = "0..1", paramLabel = "VALUE", description = "The value.")
  String value;

  @Option(
      names = "--value-file",
      paramLabel = "FILE",
      description = "Take the bytes of this file as the value; - is standard input.")
  String valueFile;

  PutCommand(Streams streams) {
    super(streams);
  }

  @Override
  public Integer call() throws IOException {
    if ((value == null) == (valueFile == null)) {
      throw wrongUsage("give either VALUE or --value-file FILE");
    }
    byte[] keyBytes = parseKey("KEY", key);
    byte[] valueBytes = valueFile == null ? parseValue(value) : readValueFile();
    checkLength("key", keyBytes.length, Limits.KEY_BYTES_MAX);
    checkLength("value", valueBytes.length, Limits.VALUE_BYTES_MAX);
    try (Database database = openForWriting(true)) {
      database.table(options.tableName()).put(keyBytes, valueBytes);
    }
    return ExitStatus.SUCCESS;
  }

  /** Before the open, so that an argument that cannot be stored does not create a database. */
  private static void checkLength(String what, int length, int limit) {
    if (length > limit) {
      throw new CliException(
          ExitStatus.FAILURE,
          String.format(
              Locale.ROOT, "the %s is %,d bytes long, the limit is %,d", what, length, limit));
    }
  }

  private byte[] readValueFile() throws IOException {
    if (valueFile.equals("-")) {
      return readUpToLimit(streams.in(), "standard input");
    }
    try (InputStream in = Files.newInputStream(Path.of(valueFile))) {
      return readUpToLimit(in, valueFile);
    }
  }

  private static byte[] readUpToLimit(InputStream in, String name) throws IOException {
    byte[] bytes = in.readNBytes(Limits.VALUE_BYTES_MAX + 1);
    if (bytes.length > Limits.VALUE_BYTES_MAX) {
      throw new CliException(
          ExitStatus.FAILURE,
          String.format(
              Locale.ROOT,
              "%s holds more than %,d bytes, the limit of a value",
              name,
              Limits.VALUE_BYTES_MAX));
    }
    return bytes;
  }
}
