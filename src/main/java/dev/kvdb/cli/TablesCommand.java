package dev.kvdb.cli;

import dev.kvdb.Database;
import dev.kvdb.ReadTransaction;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.Command;

/** {@code kvdb tables DB}. */
@Command(name = "tables", description = "List the tables, NAME<TAB>ENTRIES a line.")
final class TablesCommand extends DatabaseCommand {
  TablesCommand(Streams streams) {
    super(streams);
  }

  @Override
  public Integer call() {
    try (Database database = openForReading();
        ReadTransaction snapshot = database.beginRead()) {
      for (String name : snapshot.tableNames()) {
        String text = TextForm.format(name.getBytes(StandardCharsets.UTF_8));
        streams.out().line(text + "\t" + snapshot.in(name).count());
      }
    }
    return ExitStatus.SUCCESS;
  }
}
