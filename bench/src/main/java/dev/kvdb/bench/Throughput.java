package dev.kvdb.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Compares kvdb with {@code TreeMap}: puts, gets and scans, each engine and order of insertion in a
 * fresh process, in turns; then opening a database that was not closed.
 */
final class Throughput {
  private static final int KEYS = 1_000_000;
  private static final int REPETITIONS = 3;
  private static final String KVDB = "kvdb";
  private static final String TREE_MAP = "TreeMap";
  private static final String ROW_FORMAT = "%-34s %-24s %-24s %-6s | %-6s %-6s %-6s %s%n";
  private static final List<String> JAVA_OPTIONS =
      List.of("--enable-native-access=ALL-UNNAMED", "-Xms2g", "-Xmx2g");

  /** A comparison and the least ratio that is wanted; 0 for none. */
  private record Row(String name, String figure, double target) {}

  private static final List<Row> ROWS =
      List.of(
          new Row("ascending put", "ascending.put", 1.0),
          new Row("random put", "random.put", 1.3),
          new Row("random get, value copied", "random.get", 1.5),
          new Row("ordered scan", "random.scan", 4.0),
          new Row("random get after ascending load", "ascending.get", 0),
          new Row("ordered scan after ascending load", "ascending.scan", 0));

  private final Figures figures = new Figures();
  private final List<String> only = new ArrayList<>();
  private int keys = KEYS;
  private int repetitions = REPETITIONS;
  private Path json;

  private Throughput() {}

  /** {@code throughput [--keys N] [--repetitions N] [--json FILE]}. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Throughput run = new Throughput();
    run.read(arguments);
    run.run();
  }

  private void read(String[] arguments) {
    for (int i = 0; i < arguments.length; i += 2) {
      if (i + 1 == arguments.length) {
        throw new IllegalArgumentException(arguments[i] + " needs a value");
      }
      String value = arguments[i + 1];
      switch (arguments[i]) {
        case "--keys" -> keys = Integer.parseInt(value);
        case "--repetitions" -> repetitions = Integer.parseInt(value);
        case "--group" -> only.add(value);
        case "--json" -> json = Path.of(value);
        default ->
            throw new IllegalArgumentException(
                "unknown option " + arguments[i] + " (known: --keys, --repetitions, --group, --json)");
      }
    }
  }

  private void run() throws IOException, InterruptedException {
    Map<String, String> environment = Environment.describe();
    environment.forEach((name, fact) -> System.out.println(name + ": " + fact));
    System.out.println(
        keys
            + " entries, keys of 16 and values of 100 bytes, a commit a put at level NONE; "
            + repetitions
            + " repetitions: median (smallest-largest)");
    for (int i = 0; i < repetitions; i++) {
      for (String group : List.of("ascending", "random")) {
        if (isWanted(group)) {
          for (String peer : i % 2 == 0 ? List.of(KVDB, TREE_MAP) : List.of(TREE_MAP, KVDB)) {
            inFolder(folder -> child(group, peer, folder));
          }
        }
      }
      if (isWanted("reopen")) {
        inFolder(
            folder -> {
              child("abandon", KVDB, folder);
              child("reopen", KVDB, folder);
            });
      }
    }
    print();
    System.out.println("load: " + environment.get("load") + " before, now " + Environment.load());
    if (json != null) {
      writeJson(environment);
    }
  }

  private boolean isWanted(String group) {
    return only.isEmpty() || only.contains(group);
  }

  private interface Step {
    void in(Path folder) throws IOException, InterruptedException;
  }

  private static void inFolder(Step step) throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("kvdb-bench");
    try {
      step.in(folder);
    } finally {
      List<Path> paths;
      try (Stream<Path> walk = Files.walk(folder)) {
        paths = walk.sorted(Comparator.reverseOrder()).toList();
      }
      for (Path path : paths) {
        Files.delete(path);
      }
    }
  }

  /** Runs one group of phases in a process of its own. */
  private void child(String group, String peer, Path folder)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(JAVA_OPTIONS);
    String more = System.getenv("KVDB_BENCH_JAVA_OPTS");
    if (more != null && !more.isBlank()) {
      command.addAll(List.of(more.strip().split("\\s+")));
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(Phases.class.getName(), group, peer, folder.toString()));
    command.add(String.valueOf(keys));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (BufferedReader output = process.inputReader()) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        String[] fields = line.split(" ");
        if (fields.length == 3 && fields[0].equals("RESULT")) {
          figures.add(peer, fields[1], Double.parseDouble(fields[2]));
        } else {
          System.out.println(line);
        }
      }
    }
    int status = process.waitFor();
    if (status != 0) {
      throw new IllegalStateException(
          "the phases " + group + " of " + peer + " ended with status " + status);
    }
  }

  private void print() {
    System.out.printf(
        Locale.ROOT, ROW_FORMAT, "nanoseconds an operation", KVDB, TREE_MAP, "ratio", "CPU", "CPU", "ratio", "");
    for (Row row : ROWS) {
      if (isWanted(row.figure().substring(0, row.figure().indexOf('.')))) {
        System.out.printf(
            Locale.ROOT,
            ROW_FORMAT,
            row.name(),
            figures.range(KVDB, row.figure()),
            figures.range(TREE_MAP, row.figure()),
            ratio(row.figure()),
            Math.round(figures.median(KVDB, row.figure() + ".cpu")),
            Math.round(figures.median(TREE_MAP, row.figure() + ".cpu")),
            ratio(row.figure() + ".cpu"),
            row.target() == 0 ? "" : "wanted " + row.target());
      }
    }
    for (String order : List.of("ascending", "random")) {
      if (isWanted(order)) {
        System.out.println(
            order
                + " load: leaf fill "
                + figures.range(KVDB, order + ".fill")
                + " %, file "
                + figures.range(KVDB, order + ".fileMiB")
                + " MiB; a get into the caller's memory allocates "
                + figures.range(KVDB, order + ".getBytes")
                + " bytes");
      }
    }
    if (isWanted("reopen")) {
      System.out.println(
          "opening with "
              + keys
              + " records in the log ("
              + figures.range(KVDB, "reopen.logMiB")
              + " MiB): "
              + figures.range(KVDB, "reopen.ms")
              + " ms");
    }
  }

  /** How many times as long TreeMap takes. */
  private String ratio(String figure) {
    double ratio = figures.median(TREE_MAP, figure) / figures.median(KVDB, figure);
    return String.format(Locale.ROOT, "%.2f", ratio);
  }

  private void writeJson(Map<String, String> environment) throws IOException {
    StringBuilder text = new StringBuilder("{\n  \"keys\": " + keys);
    environment.forEach(
        (name, fact) ->
            text.append(",\n  \"").append(name).append("\": \"").append(escape(fact)).append('"'));
    text.append(",\n  \"figures\": ").append(figures.toJson()).append("\n}\n");
    Files.writeString(json, text);
  }

  private static String escape(String fact) {
    return fact.replace("\\", "\\\\").replace("\"", "\\\"");
  }
}
