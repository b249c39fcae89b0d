package dev.kvdb.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.Limits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** put, get and del. */
class SingleEntryCommandsTest {
  @TempDir Path folder;
  private Path db;

  @BeforeEach
  void nameDatabase() {
    db = folder.resolve("test.kvdb");
  }

  @Test
  void whatWasPutIsGot() {
    assertEquals("", Cli.ok("put", db, "k", "first"));
    assertEquals("first\n", Cli.ok("get", db, "k"));
    Cli.ok("put", db, "k", "second");
    assertEquals("second\n", Cli.ok("get", db, "k"));
  }

  @Test
  void emptyKeysAndValuesAreLegal() {
    Cli.ok("put", db, "", "");
    assertEquals("\n", Cli.ok("get", db, ""));
  }

  @Test
  void aMissingKeyIsExitStatusOne() {
    Cli.ok("put", db, "k", "v");
    Cli.Result result = Cli.run("get", db, "other").expect(ExitStatus.KEY_NOT_FOUND);
    assertEquals("", result.out());
    assertEquals("kvdb: " + db + ": there is no key \"other\"\n", result.err());
  }

  @Test
  void delDeletesAndSaysWhenThereWasNothing() {
    Cli.ok("put", db, "k", "v");
    assertEquals("", Cli.ok("del", db, "k"));
    Cli.run("get", db, "k").expect(ExitStatus.KEY_NOT_FOUND);
    Cli.run("del", db, "k").expect(ExitStatus.KEY_NOT_FOUND);
  }

  @Test
  void rawPrintsTheBytesAndNothingElse() {
    Cli.ok("put", db, "k", "00ff0a", "--values", "hex");
    byte[] raw = Cli.run("get", db, "k", "--raw").expect(ExitStatus.SUCCESS).bytes();
    assertArrayEquals(new byte[] {0, (byte) 0xFF, '\n'}, raw);
    assertEquals("\\x00\\xFF\\n\n", Cli.ok("get", db, "k"));
    assertEquals("AP8K\n", Cli.ok("get", db, "k", "--values", "base64"));
  }

  @Test
  void valuesCanComeFromAFileOrStandardInput() throws IOException {
    byte[] value = {'a', '\\', 't', 0, (byte) 0x80, '\n'};
    Path file = Files.write(folder.resolve("value"), value);
    Cli.ok("put", db, "from file", "--value-file", file);
    assertArrayEquals(value, Cli.run("get", db, "from file", "--raw").bytes());
    Cli.runWith(value, "put", db, "from input", "--value-file", "-").expect(ExitStatus.SUCCESS);
    assertArrayEquals(value, Cli.run("get", db, "from input", "--raw").bytes());
  }

  @Test
  void aMissingValueFileCreatesNothing() {
    Cli.Result result =
        Cli.run("put", db, "k", "--value-file", folder.resolve("none")).expect(ExitStatus.FAILURE);
    assertTrue(result.err().contains("there is no such file"), result.err());
    assertFalse(Files.exists(db));
  }

  @Test
  void optionsStandAnywhereAndTwoDashesEndThem() {
    Cli.ok("put", "--table", "t", db, "k", "v");
    Cli.ok("put", db, "--table=t", "--", "--table", "@v");
    assertEquals("@v\n", Cli.ok("get", db, "--table", "t", "--", "--table"));
    assertEquals("v\n", Cli.ok("get", db, "k", "--table", "t"));
    Cli.run("get", db, "k").expect(ExitStatus.KEY_NOT_FOUND);
  }

  @Test
  void aTableThatWasNamedMustBeThere() {
    Cli.ok("put", db, "k", "v");
    for (String command : new String[] {"get", "del"}) {
      Cli.Result result = Cli.run(command, db, "k", "--table", "none").expect(ExitStatus.FAILURE);
      assertTrue(result.err().contains("there is no table \"none\" (its tables: default)"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "fsync", "barrier", "full"})
  void everyDurabilityStores(String level) {
    Cli.ok("put", db, level, "v", "--durability", level);
    assertEquals("v\n", Cli.ok("get", db, level));
    Cli.ok("del", db, level, "--durability", level);
  }

  @Test
  void int64KeysAreOrderedAsNumbers() {
    for (long key : new long[] {5, -5, 0, Long.MAX_VALUE, Long.MIN_VALUE, 1000}) {
      Cli.ok("put", "--keys", "int64", db, "--", key, "v" + key);
    }
    assertEquals(
        Long.MIN_VALUE + "\n-5\n0\n5\n1000\n" + Long.MAX_VALUE + "\n",
        Cli.ok("scan", db, "--keys", "int64", "--keys-only"));
    assertEquals(
        "0\tv0\n5\tv5\n", Cli.ok("scan", db, "--keys", "int64", "--from", "-4", "--to", "6"));
    assertEquals(
        "8000000000000005\n",
        Cli.ok(
            "scan",
            db,
            "--keys",
            "hex",
            "--keys-only",
            "--from",
            "8000000000000001",
            "--to",
            "8000000000000006"));
  }

  @Test
  void aKeyThatIsNoInt64IsAnError() {
    Cli.ok("put", db, "abc", "v");
    Cli.Result result = Cli.run("scan", db, "--keys", "int64").expect(ExitStatus.FAILURE);
    assertTrue(result.err().contains("\"abc\" is 3 bytes long, an int64 has 8"), result.err());
  }

  @ParameterizedTest
  @CsvSource({"text,a\\q", "text,a\\x4", "hex,abc", "hex,xy", "base64,=", "int64,1.5", "int64,''"})
  void aKeyThatCannotBeReadIsAnErrorAndCreatesNothing(String encoding, String key) {
    Cli.Result result = Cli.run("put", "--keys", encoding, db, key, "v").expect(ExitStatus.FAILURE);
    assertTrue(result.err().startsWith("kvdb: " + db + ": KEY \"" + key + "\": "), result.err());
    assertEquals(1, result.err().lines().count());
    assertFalse(Files.exists(db));
  }

  @Test
  void limitsAreNamedWithTheLengthAndCreateNothing() {
    String longest = "k".repeat(Limits.KEY_BYTES_MAX);
    Cli.Result result = Cli.run("put", db, longest + "k", "v").expect(ExitStatus.FAILURE);
    assertEquals(
        "kvdb: " + db + ": the key is 1,001 bytes long, the limit is 1,000\n", result.err());
    result =
        Cli.run("put", db, "k", "v".repeat(Limits.VALUE_BYTES_MAX + 1)).expect(ExitStatus.FAILURE);
    assertTrue(result.err().contains("the value is 1,025 bytes long"), result.err());
    byte[] tooLong = "v".repeat(Limits.VALUE_BYTES_MAX + 1).getBytes(StandardCharsets.UTF_8);
    Cli.runWith(tooLong, "put", db, "k", "--value-file", "-").expect(ExitStatus.FAILURE);
    assertFalse(Files.exists(db));

    Cli.ok("put", db, longest, "v".repeat(Limits.VALUE_BYTES_MAX));
    assertEquals("v".repeat(Limits.VALUE_BYTES_MAX) + "\n", Cli.ok("get", db, longest));
  }
}
