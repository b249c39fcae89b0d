package dev.kvdb.cli;

import dev.kvdb.Database;
import dev.kvdb.DatabaseStats;
import dev.kvdb.TableStats;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code kvdb stat DB}. */
@Command(name = "stat", description = "Print sizes, tables, pages by kind, log and checkpoint.")
final class StatCommand extends DatabaseCommand {
  @Option(names = "--json", description = "As one JSON object on one line.")
  boolean json;

  StatCommand(Streams streams) {
    super(streams);
  }

  @Override
  public Integer call() {
    try (Database database = openForReading()) {
      DatabaseStats stats = database.stats();
      List<TableStats> tables = new ArrayList<>();
      for (String name : database.tableNames()) {
        if (options.table == null || options.table.equals(name)) {
          tables.add(database.table(name).stats());
        }
      }
      if (options.table != null) {
        existingTable(database);
      }
      if (json) {
        streams.out().line(Json.of(asMap(database, stats, tables)));
      } else {
        print(database, stats, tables);
      }
    }
    return ExitStatus.SUCCESS;
  }

  private void print(Database database, DatabaseStats stats, List<TableStats> tables) {
    Output out = streams.out();
    long leafPages = tables.stream().mapToLong(TableStats::leafPages).sum();
    long branchPages = tables.stream().mapToLong(TableStats::branchPages).sum();
    out.line("%-16s %s", "file", database.file());
    out.line("%-16s %d", "format version", stats.formatVersion());
    out.line("%-16s %,d bytes", "page size", stats.pageBytes());
    out.line("%-16s %,d bytes, %,d pages", "file size", stats.fileBytes(), stats.pages());
    out.line(
        "%-16s %,d meta, %,d space map, %,d catalog, %,d leaf, %,d branch, %,d free",
        "pages",
        stats.metaPages(),
        stats.spaceMapPages(),
        stats.catalogPages(),
        leafPages,
        branchPages,
        stats.freePages());
    out.line(
        "%-16s %,d bytes to replay, %,d files of %,d bytes",
        "log", stats.logBytes(), stats.logFiles(), stats.logFileBytes());
    out.line("%-16s %,d", "last commit", stats.commitNumber());
    out.line(
        "%-16s %,d%s",
        "last checkpoint",
        stats.lastCheckpointNumber(),
        stats.lastCheckpointTime().map(time -> " at " + seconds(time)).orElse(""));
    out.line(
        "%-16s %s",
        "oldest snapshot",
        stats.oldestSnapshot().isPresent() ? stats.oldestSnapshot().getAsLong() : "none");
    for (TableStats table : tables) {
      out.line(
          "%-16s %,d entries, %,d key bytes, %,d value bytes, height %d, %,d leaf and %,d branch"
              + " pages, %.0f %% full",
          "table " + TextForm.format(table.name().getBytes(StandardCharsets.UTF_8)),
          table.entries(),
          table.keyBytes(),
          table.valueBytes(),
          table.height(),
          table.leafPages(),
          table.branchPages(),
          100 * table.fill());
    }
  }

  private static Map<String, Object> asMap(
      Database database, DatabaseStats stats, List<TableStats> tables) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("file", database.file().toString());
    map.put("formatVersion", stats.formatVersion());
    map.put("pageBytes", stats.pageBytes());
    map.put("fileBytes", stats.fileBytes());
    map.put("pages", stats.pages());
    Map<String, Object> kinds = new LinkedHashMap<>();
    kinds.put("meta", stats.metaPages());
    kinds.put("spaceMap", stats.spaceMapPages());
    kinds.put("catalog", stats.catalogPages());
    kinds.put("leaf", tables.stream().mapToLong(TableStats::leafPages).sum());
    kinds.put("branch", tables.stream().mapToLong(TableStats::branchPages).sum());
    kinds.put("free", stats.freePages());
    map.put("pagesByKind", kinds);
    map.put("freePages", stats.freePages());
    map.put("logBytes", stats.logBytes());
    map.put("logFiles", stats.logFiles());
    map.put("logFileBytes", stats.logFileBytes());
    map.put("lastCommit", stats.commitNumber());
    map.put("lastCheckpoint", stats.lastCheckpointNumber());
    map.put("lastCheckpointTime", stats.lastCheckpointTime().map(Instant::toString).orElse(null));
    map.put(
        "oldestSnapshot",
        stats.oldestSnapshot().isPresent() ? stats.oldestSnapshot().getAsLong() : null);
    map.put("tables", tables.stream().map(StatCommand::asMap).toList());
    return map;
  }

  private static Map<String, Object> asMap(TableStats table) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("name", table.name());
    map.put("entries", table.entries());
    map.put("keyBytes", table.keyBytes());
    map.put("valueBytes", table.valueBytes());
    map.put("height", table.height());
    map.put("leafPages", table.leafPages());
    map.put("branchPages", table.branchPages());
    map.put("fill", table.fill());
    return map;
  }

  private static String seconds(Instant time) {
    return time.truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
