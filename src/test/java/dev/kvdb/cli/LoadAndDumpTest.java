package dev.kvdb.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** load and dump: what goes in comes out; bad lines. */
class LoadAndDumpTest {
  private static final long SEED = 4711;

  @TempDir Path folder;
  private Path db;

  @BeforeEach
  void nameDatabase() {
    db = folder.resolve("test.kvdb");
  }

  @Test
  void loadSaysHowManyAndAtWhichDurability() {
    Cli.Result result = load("a\t1\nb\t2\nc\t3\n", "--batch", "2");
    result.expect(ExitStatus.SUCCESS);
    assertEquals("3 entries stored (durability fsync, 2 a batch)\n", result.out());
    result = load("d\t4", "--durability", "none");
    assertEquals("1 entries stored (durability none, 1000 a batch)\n", result.out());
    assertEquals("a\t1\nb\t2\nc\t3\nd\t4\n", Cli.ok("scan", db));
  }

  @Test
  void anEmptyInputCreatesAnEmptyDatabase() {
    load("").expect(ExitStatus.SUCCESS);
    assertEquals("", Cli.ok("dump", db));
    assertEquals("0\n", Cli.ok("scan", db, "--count"));
  }

  @ParameterizedTest
  @CsvSource({
    "tsv,text",
    "tsv,hex",
    "tsv,base64",
    "jsonl,text",
    "jsonl,hex",
    "jsonl,base64",
    "dbdump,text"
  })
  void arbitraryBytesSurviveDumpAndLoad(String format, String encoding) throws IOException {
    TreeMap<String, String> model = randomEntries();
    StringBuilder tsv = new StringBuilder();
    model.forEach((key, value) -> tsv.append(key).append('\t').append(value).append('\n'));
    load(tsv.toString(), "--keys", "hex", "--values", "hex").expect(ExitStatus.SUCCESS);

    Path file = folder.resolve("dump");
    Object[] options = {"--format", format, "--keys", encoding, "--values", encoding};
    assertEquals("", Cli.ok(words("dump", db, file, options)));
    Path copy = folder.resolve("copy.kvdb");
    Cli.ok(words("load", copy, file, options));
    assertEquals(
        tsv.toString(),
        Cli.ok("dump", copy, "-", "--keys", "hex", "--values", "hex"),
        "seed " + SEED);
    try (var files = Files.list(folder)) {
      assertFalse(files.anyMatch(path -> path.toString().endsWith(".unfinished")));
    }
  }

  private static TreeMap<String, String> randomEntries() {
    Random random = new Random(SEED);
    TreeMap<String, String> model = new TreeMap<>();
    for (int i = 0; i < 500; i++) {
      byte[] key = new byte[random.nextInt(20)];
      byte[] value = new byte[random.nextInt(60)];
      random.nextBytes(key);
      random.nextBytes(value);
      model.put(HexFormat.of().formatHex(key), HexFormat.of().formatHex(value));
    }
    return model;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "no tab here|it has no tab",
        "a\\tb\\tc|more than one tab",
        "k\\t\\\\q|its value: no escape",
        "\\\\x1\\tv|its key: no escape",
        "k\\tv\\r|carriage return",
        "k\\t\\xFF|not UTF-8",
        "''|it has no tab"
      })
  void aBadLineIsNamedAndNothingOfItsBatchIsStored(String badLine, String problem) {
    byte[] bad = TextForm.parse(badLine);
    StringBuilder good = new StringBuilder();
    for (int i = 1; i <= 25; i++) {
      good.append("key").append(i).append("\tvalue\n");
    }
    byte[] input =
        concat(good.toString().getBytes(StandardCharsets.UTF_8), bad, "\nz\tz\n".getBytes());
    Cli.Result result = Cli.runWith(input, "load", db, "-", "--batch", "10");
    result.expect(ExitStatus.FAILURE);
    assertTrue(
        result.err().startsWith("kvdb: " + db + ": line 26 of standard input: "), result.err());
    assertTrue(result.err().contains(problem), result.err());
    assertTrue(result.err().contains("(20 entries before it were committed, "), result.err());
    assertEquals(1, result.err().lines().count());
    assertEquals("", result.out());
    assertEquals("20\n", Cli.ok("scan", db, "--count"));
  }

  @Test
  void anEntryAboveALimitIsABadLine() {
    Cli.Result result = load("a\tb\n" + "k".repeat(1001) + "\tv\n");
    result.expect(ExitStatus.FAILURE);
    assertTrue(result.err().contains("line 2 of standard input: the key is 1,001 bytes long"));
    assertEquals("0\n", Cli.ok("scan", db, "--count"));
  }

  @Test
  void aMissingInputCreatesNoDatabase() {
    Cli.run("load", db, folder.resolve("none")).expect(ExitStatus.FAILURE);
    assertFalse(Files.exists(db));
  }

  @Test
  void wrongUsage() {
    Cli.run("load", db).expect(ExitStatus.WRONG_USAGE);
    Cli.run("load", db, "-", "--batch", "0").expect(ExitStatus.WRONG_USAGE);
    Cli.run("load", db, "-", "--format", "xml").expect(ExitStatus.WRONG_USAGE);
    Cli.run("load", db, "-", "--read-only").expect(ExitStatus.WRONG_USAGE);
    assertFalse(Files.exists(db));
  }

  @Test
  void aDumpReplacesAFileOnlyOnceItIsWhole() throws IOException {
    load("abc\tv\n").expect(ExitStatus.SUCCESS);
    Path file = Files.writeString(folder.resolve("dump"), "old");
    Cli.run("dump", db, file, "--keys", "int64").expect(ExitStatus.FAILURE);
    assertEquals("old", Files.readString(file));
    Cli.ok("dump", db, file);
    assertEquals("abc\tv\n", Files.readString(file));
    Cli.run("dump", db, db).expect(ExitStatus.FAILURE);
    assertEquals("v\n", Cli.ok("get", db, "abc"));
  }

  @Test
  void tablesAreLoadedAndDumpedApart() {
    load("a\t1\n").expect(0);
    load("b\t2\n", "--table", "other").expect(0);
    assertEquals("a\t1\n", Cli.ok("dump", db));
    assertEquals("b\t2\n", Cli.ok("dump", db, "--table", "other"));
    Cli.run("dump", db, "--table", "none").expect(ExitStatus.FAILURE);
  }

  private Cli.Result load(String input, Object... options) {
    return Cli.runWith(input.getBytes(StandardCharsets.UTF_8), words("load", db, "-", options));
  }

  private static Object[] words(String command, Path db, Object file, Object... options) {
    return Stream.concat(Stream.of(command, db, file), Arrays.stream(options)).toArray();
  }

  private static byte[] concat(byte[]... parts) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      bytes.writeBytes(part);
    }
    return bytes.toByteArray();
  }
}
