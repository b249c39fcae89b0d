package dev.kvdb.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The exact forms of jsonl and dbdump, and what is refused in them. */
class FormatsTest {
  @TempDir Path folder;
  private Path db;

  @BeforeEach
  void nameDatabase() {
    db = folder.resolve("test.kvdb");
  }

  @Test
  void jsonLinesHoldTextWhereItIsText() {
    String jsonl =
        "{\"key\":\"a\\tb\",\"value\":\"é \\\"quoted\\\" \\\\\"}\n"
            + "{\"key\":\"b\",\"value\":\"/w==\",\"valueEncoding\":\"base64\"}\n"
            + "{\"key\":\"gA==\",\"keyEncoding\":\"base64\",\"value\":\"\"}\n";
    load("jsonl", jsonl).expect(ExitStatus.SUCCESS);
    assertEquals("a\\tb\té \"quoted\" \\\\\nb\t\\xFF\n\\x80\t\n", Cli.ok("scan", db));
    assertEquals(jsonl, Cli.ok("dump", db, "--format", "jsonl"));
  }

  @Test
  void jsonLinesAreReadAsOthersWriteThem() {
    load("jsonl", " { \"value\" : \"\\u00e9\\ud83d\\ude00\\/\\b\\f\" ,\t\"key\" : \"k\" } \n")
        .expect(ExitStatus.SUCCESS);
    assertEquals("é😀/\\x08\\x0C\n", Cli.ok("get", db, "k"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"key\":\"a\"}|it has no \"value\"",
        "{\"key\":\"a\",\"value\":1}|at character 20 there should be a string",
        "{\"key\":\"a\",\"value\":\"b\"|there should be '}'",
        "{\"key\":\"a\",\"value\":\"b\"} x|the end of the line",
        "{\"key\":\"a\",\"value\":\"b\",\"more\":\"c\"}|not known: \"more\"",
        "{\"key\":\"a\",\"key\":\"b\",\"value\":\"\"}|two members \"key\"",
        "{\"key\":\"a\",\"value\":\"\\q\"}|an escape of JSON",
        "{\"key\":\"a\",\"value\":\"\\u12g4\"}|an escape of JSON",
        "{\"key\":\"\\ud800\",\"value\":\"\"}|its key: a lone surrogate",
        "{\"key\":\"?\",\"keyEncoding\":\"base64\",\"value\":\"\"}|its key: not base64",
        "{\"key\":\"a\",\"keyEncoding\":\"rot13\",\"value\":\"\"}|known is only base64",
        "[]|there should be '{'",
        "{}|it has no \"key\"",
        "``|there should be '{'"
      })
  void aLineThatIsNoEntryIsRefused(String line, String problem) {
    Cli.Result result = load("jsonl", line + "\n").expect(ExitStatus.FAILURE);
    assertTrue(result.err().contains("line 1 of standard input: "), result.err());
    assertTrue(result.err().contains(problem), result.err());
  }

  @Test
  void aDumpHasTheFormOfBerkeleyDb() {
    Cli.ok("put", db, "key", "value");
    Cli.ok("put", db, "", "");
    assertEquals(
        "VERSION=3\nformat=bytevalue\ntype=btree\nHEADER=END\n \n \n 6b6579\n 76616c7565\n"
            + "DATA=END\n",
        Cli.ok("dump", db, "--format", "dbdump"));
  }

  @Test
  void aPrintableDumpOfAnotherToolIsRead() {
    String dump =
        "VERSION=3\nformat=print\ntype=btree\nmapsize=1048576\nmaxreaders=126\ndb_pagesize=4096\n"
            + "HEADER=END\n a\\\\b\n tab\\09 and \\ff\\\\\n k\n  blank\nDATA=END\n";
    load("dbdump", dump).expect(ExitStatus.SUCCESS);
    assertEquals("a\\\\b\ttab\\t and \\xFF\\\\\nk\t blank\n", Cli.ok("scan", db));
  }

  @ParameterizedTest
  @CsvSource({
    "'VERSION=2\n', a dump begins with VERSION=3",
    "'', the input ends before VERSION=3",
    "'VERSION=3\nformat=bytevalue\n', the input ends before HEADER=END",
    "'VERSION=3\nformat=xml\nHEADER=END\n', no header line that is known",
    "'VERSION=3\nduplicates=1\nHEADER=END\n', several values for one key",
    "'VERSION=3\ntype=recno\nHEADER=END\n', numbers of records",
    "'VERSION=3\nHEADER=END\n 61\n 62\n', the input ends before DATA=END",
    "'VERSION=3\nHEADER=END\n 61\nDATA=END\n', the last key has no value",
    "'VERSION=3\nHEADER=END\n61\n 62\nDATA=END\n', begins with a blank",
    "'VERSION=3\nHEADER=END\n 6\n 62\nDATA=END\n', not an even number",
    "'VERSION=3\nformat=print\nHEADER=END\n \\\n 62\nDATA=END\n', a backslash at the end",
    "'VERSION=3\nHEADER=END\nDATA=END\nVERSION=3\n', a second database"
  })
  void aDumpThatIsNotWholeIsRefused(String dump, String problem) {
    Cli.Result result = load("dbdump", dump).expect(ExitStatus.FAILURE);
    assertTrue(result.err().contains(problem), result.err());
    assertEquals("0\n", Cli.ok("scan", db, "--count"));
  }

  private Cli.Result load(String format, String input) {
    return Cli.runWith(input.getBytes(StandardCharsets.UTF_8), "load", db, "-", "--format", format);
  }
}
