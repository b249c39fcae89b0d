package dev.kvdb.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** scan: bounds, order, limit, what is printed, and where it goes. */
class ScanCommandTest {
  @TempDir Path folder;
  private Path db;

  @BeforeEach
  void load() {
    db = folder.resolve("test.kvdb");
    String tsv = "a\t1\nab\t2\nabc\t3\nb\t4\nba\t5\n";
    Cli.runWith(tsv.getBytes(StandardCharsets.UTF_8), "load", db, "-").expect(0);
  }

  @Test
  void everythingInKeyOrder() {
    assertEquals("a\t1\nab\t2\nabc\t3\nb\t4\nba\t5\n", Cli.ok("scan", db));
    assertEquals("ba\t5\nb\t4\nabc\t3\nab\t2\na\t1\n", Cli.ok("scan", db, "--reverse"));
  }

  @Test
  void fromIsInclusiveAndToExclusiveInBothDirections() {
    assertEquals("ab\nabc\n", Cli.ok("scan", db, "--from", "ab", "--to", "b", "--keys-only"));
    assertEquals(
        "abc\nab\n", Cli.ok("scan", db, "--from", "ab", "--to", "b", "--keys-only", "--reverse"));
    assertEquals("abc\nb\nba\n", Cli.ok("scan", db, "--from", "abb", "--keys-only"));
    assertEquals("a\n", Cli.ok("scan", db, "--to", "aa", "--keys-only"));
    assertEquals("", Cli.ok("scan", db, "--from", "b", "--to", "a"));
    assertEquals("", Cli.ok("scan", db, "--from", "b", "--to", "b", "--reverse"));
    assertEquals("", Cli.ok("scan", db, "--to", ""));
  }

  @Test
  void aPrefixIsFoundAloneAndWithBounds() {
    assertEquals("ab\t2\nabc\t3\n", Cli.ok("scan", db, "--prefix", "ab"));
    assertEquals("abc\t3\n", Cli.ok("scan", db, "--prefix", "ab", "--from", "abc"));
    assertEquals("ab\t2\n", Cli.ok("scan", db, "--prefix", "ab", "--to", "abc"));
    assertEquals("abc\t3\n", Cli.ok("scan", db, "--prefix", "a", "--reverse", "--limit", "1"));
    assertEquals("", Cli.ok("scan", db, "--prefix", "c"));
  }

  @Test
  void aPrefixOfHighestBytesHasNoUpperBound() {
    Cli.ok("put", db, "--keys", "hex", "ffff", "x");
    Cli.ok("put", db, "--keys", "hex", "ff", "y");
    assertEquals(
        "ff\nffff\n", Cli.ok("scan", db, "--keys", "hex", "--prefix", "ff", "--keys-only"));
    assertEquals("ffff\n", Cli.ok("scan", db, "--keys", "hex", "--prefix", "ffff", "--keys-only"));
  }

  @Test
  void limitAndCount() {
    assertEquals("a\t1\nab\t2\n", Cli.ok("scan", db, "--limit", "2"));
    assertEquals("", Cli.ok("scan", db, "--limit", "0"));
    assertEquals("5\n", Cli.ok("scan", db, "--count"));
    assertEquals("3\n", Cli.ok("scan", db, "--count", "--prefix", "a"));
    assertEquals("2\n", Cli.ok("scan", db, "--count", "--limit", "2"));
    assertEquals("1\n", Cli.ok("scan", db, "--count", "--from", "b", "--limit", "1"));
  }

  @Test
  void wrongUsage() {
    Cli.run("scan", db, "--limit", "-1").expect(ExitStatus.WRONG_USAGE);
    Cli.run("scan", db, "--limit", "many").expect(ExitStatus.WRONG_USAGE);
    Cli.run("scan", db, "--prefix", "1", "--keys", "int64").expect(ExitStatus.WRONG_USAGE);
    Cli.run("scan", db, "extra").expect(ExitStatus.WRONG_USAGE);
  }

  @Test
  void aClosedPipeEndsQuietly() {
    Cli.Result result = Cli.runInto(failingWith("Broken pipe"), "scan", db);
    result.expect(ExitStatus.CLOSED_PIPE);
    assertEquals("", result.err());
  }

  @Test
  void aClosedPipeIsMetInTheMiddleOfALongScanToo() {
    String tsv =
        IntStream.range(0, 20_000)
            .mapToObj(i -> "key" + i + "\t" + "v".repeat(20) + "\n")
            .collect(Collectors.joining());
    Cli.runWith(tsv.getBytes(StandardCharsets.UTF_8), "load", db, "-").expect(0);
    Cli.Result result = Cli.runInto(failingWith("Broken pipe"), "scan", db);
    result.expect(ExitStatus.CLOSED_PIPE);
    assertEquals("", result.err());
    assertEquals("20005\n", Cli.ok("scan", db, "--count"));
  }

  @Test
  void outputThatCannotBeWrittenIsAnError() {
    Cli.Result result = Cli.runInto(failingWith("No space left on device"), "scan", db);
    result.expect(ExitStatus.FAILURE);
    assertTrue(result.err().contains("standard output: No space left on device"), result.err());
    assertEquals(1, result.err().lines().count());
    assertEquals("kvdb: standard output: No space left on device\n", scanMuchIntoFullDisk().err());
  }

  /** So much that the command itself meets the error, not only the flush behind it. */
  private Cli.Result scanMuchIntoFullDisk() {
    String tsv =
        IntStream.range(0, 20_000)
            .mapToObj(i -> "key" + i + "\t" + "v".repeat(20) + "\n")
            .collect(Collectors.joining());
    Cli.runWith(tsv.getBytes(StandardCharsets.UTF_8), "load", db, "-").expect(0);
    return Cli.runInto(failingWith("No space left on device"), "scan", db)
        .expect(ExitStatus.FAILURE);
  }

  private static OutputStream failingWith(String message) {
    return new OutputStream() {
      @Override
      public void write(int b) throws IOException {
        throw new IOException(message);
      }
    };
  }
}
