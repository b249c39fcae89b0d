package dev.kvdb.cli;

import dev.kvdb.Cursor;
import dev.kvdb.Database;
import dev.kvdb.KeyRange;
import dev.kvdb.ReadTransaction;
import dev.kvdb.TableSnapshot;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code kvdb scan DB}. */
@Command(name = "scan", description = "Print entries in key order, KEY<TAB>VALUE a line.")
final class ScanCommand extends DatabaseCommand {
  @Option(names = "--from", paramLabel = "K", description = "Begin at this key, inclusive.")
  String from;

  @Option(
      names = "--to",
      paramLabel = "K",
      description = "End before this key, exclusive, with --reverse too.")
  String to;

  @Option(names = "--prefix", paramLabel = "P", description = "Only keys that begin with P.")
  String prefix;

  @Option(names = "--reverse", description = "In descending order.")
  boolean reverse;

  @Option(names = "--limit", paramLabel = "N", description = "At most N entries.")
  Long limit;

  @Option(names = "--keys-only", description = "Print only the keys.")
  boolean keysOnly;

  @Option(names = "--count", description = "Print only how many entries there are.")
  boolean count;

  ScanCommand(Streams streams) {
    super(streams);
  }

  @Override
  public Integer call() {
    if (limit != null && limit < 0) {
      throw wrongUsage("--limit is " + limit + ", it must not be negative");
    }
    if (prefix != null && options.keys == Encoding.INT64) {
      throw wrongUsage("--prefix does not go with --keys int64: use --from and --to");
    }
    KeyRange range = range();
    long limitOrMax = limit == null ? Long.MAX_VALUE : limit;
    try (Database database = openForReading();
        ReadTransaction snapshot = database.beginRead()) {
      Optional<TableSnapshot> table = tableIn(snapshot);
      long entries = table.isPresent() ? scan(table.get(), range, limitOrMax) : 0;
      if (count) {
        streams.out().line(Long.toString(entries));
      }
    }
    return ExitStatus.SUCCESS;
  }

  private KeyRange range() {
    KeyRange range = KeyRange.all();
    if (from != null) {
      range = range.intersect(KeyRange.atLeast(parseKey("--from", from)));
    }
    if (to != null) {
      range = range.intersect(KeyRange.below(parseKey("--to", to)));
    }
    if (prefix != null) {
      range = range.intersect(KeyRange.prefix(parseKey("--prefix", prefix)));
    }
    return range;
  }

  /** Prints the entries unless they are only counted; returns how many there were. */
  private long scan(TableSnapshot table, KeyRange range, long limitOrMax) {
    if (count && range.equals(KeyRange.all())) {
      return Math.min(table.count(), limitOrMax);
    }
    long entries = 0;
    try (Cursor cursor = table.cursor(range)) {
      while (entries < limitOrMax && (reverse ? cursor.previous() : cursor.next())) {
        entries++;
        if (!count) {
          print(cursor);
        }
      }
    }
    return entries;
  }

  private void print(Cursor cursor) {
    String key = options.keys.format(cursor.key());
    streams.out().line(keysOnly ? key : key + "\t" + options.values.format(cursor.value()));
  }
}
