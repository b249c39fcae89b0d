package dev.kvdb.cli;

import dev.kvdb.CorruptDatabaseException;
import dev.kvdb.Database;
import dev.kvdb.VerifyReport;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code kvdb verify DB}. */
@Command(
    name = "verify",
    description = "Check everything and list all that is wrong; changes no byte.")
final class VerifyCommand extends DatabaseCommand {
  @Option(names = "--json", description = "As one JSON object on one line.")
  boolean json;

  VerifyCommand(Streams streams) {
    super(streams);
  }

  @Override
  public Integer call() {
    long pages = 0;
    long entries = 0;
    List<String> problems;
    try (Database database = openForReading()) {
      VerifyReport report = database.verify();
      pages = report.pagesChecked();
      entries = report.entriesChecked();
      problems = report.problems();
    } catch (CorruptDatabaseException e) {
      // Damage that keeps the database from being opened is what verify was asked to find.
      problems = List.of(e.getMessage());
    }
    print(pages, entries, problems);
    return problems.isEmpty() ? ExitStatus.SUCCESS : ExitStatus.DAMAGED;
  }

  private void print(long pages, long entries, List<String> problems) {
    Output out = streams.out();
    if (json) {
      Map<String, Object> map = new LinkedHashMap<>();
      map.put("ok", problems.isEmpty());
      map.put("pagesChecked", pages);
      map.put("entriesChecked", entries);
      map.put("problems", problems);
      out.line(Json.of(map));
      return;
    }
    for (String problem : problems) {
      out.line(problem);
    }
    String found =
        switch (problems.size()) {
          case 0 -> "nothing is wrong";
          case 1 -> "1 problem";
          default -> problems.size() + " problems";
        };
    out.line("%,d pages and %,d entries checked: %s", pages, entries, found);
  }
}
