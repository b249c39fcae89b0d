package dev.kvdb.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.Database;
import dev.kvdb.Options;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Exit statuses and messages of what goes wrong with a database, and of wrong usage. */
class FailuresTest {
  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "get D k",
        "del D k",
        "scan D",
        "dump D",
        "stat D",
        "verify D",
        "tables D",
        "drop D t"
      })
  void aMissingDatabaseIsSaidAndNotCreated(String commandLine) throws IOException {
    Path db = folder.resolve("none.kvdb");
    Cli.Result result = runOn(db, commandLine).expect(ExitStatus.FAILURE);
    assertEquals(
        "kvdb: " + db + ": there is no database (kvdb put and kvdb load create one)\n",
        result.err());
    try (var files = Files.list(folder)) {
      assertEquals(0, files.count());
    }
  }

  @Test
  void aMissingFolderIsSaid() {
    Path db = folder.resolve("none").resolve("test.kvdb");
    Cli.Result result = Cli.run("put", db, "k", "v").expect(ExitStatus.FAILURE);
    assertEquals(
        "kvdb: " + db + ": there is no folder " + db.getParent() + " (create it first)\n",
        result.err());
    assertFalse(Files.exists(db.getParent()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"get D k", "put D k v", "del D k", "scan D", "dump D", "stat D", "load D -"})
  void aFileThatIsNoDatabaseIsLeftAsItIs(String commandLine) throws IOException {
    Path file = folder.resolve("letter.txt");
    byte[] content = "Dear Sir or Madam, ".repeat(1000).getBytes();
    Files.write(file, content);
    Cli.Result result = runOn(file, commandLine).expect(ExitStatus.DAMAGED);
    assertTrue(result.err().startsWith("kvdb: " + file + ": "), result.err());
    assertEquals(1, result.err().lines().count(), result.err());
    assertArrayEquals(content, Files.readAllBytes(file));
  }

  @Test
  void verifyOfAFileThatIsNoDatabase() throws IOException {
    Path file = Files.write(folder.resolve("letter.txt"), new byte[200_000]);
    Cli.run("verify", file).expect(ExitStatus.DAMAGED);
    assertArrayEquals(new byte[200_000], Files.readAllBytes(file));
  }

  @Test
  void aFolderIsNoDatabase() {
    Cli.Result result = Cli.run("get", folder, "k").expect(ExitStatus.DAMAGED);
    assertTrue(result.err().startsWith("kvdb: " + folder + ": "), result.err());
  }

  @ParameterizedTest
  @ValueSource(strings = {"get D k", "put D k v", "del D k", "scan D", "stat D", "verify D"})
  void aDatabaseInUseIsLocked(String commandLine) {
    Path db = folder.resolve("test.kvdb");
    try (Database database = Database.open(db)) {
      database.table().put(new byte[] {'k'}, new byte[] {'v'});
      Cli.Result result = runOn(db, commandLine).expect(ExitStatus.LOCKED);
      assertTrue(result.err().startsWith("kvdb: " + db + ": the database is in use by "));
    }
    assertEquals("v\n", Cli.ok("get", db, "k"));
  }

  @Test
  void readersShareADatabaseAndKeepWritersOut() {
    Path db = folder.resolve("test.kvdb");
    Cli.ok("put", db, "k", "v");
    try (Database database = Database.open(db, Options.defaults().withReadOnly(true))) {
      assertTrue(database.isReadOnly());
      assertEquals("v\n", Cli.ok("get", db, "k"));
      Cli.run("put", db, "k", "w").expect(ExitStatus.LOCKED);
    }
  }

  @Test
  void readingChangesNoByte() throws IOException {
    Path db = folder.resolve("test.kvdb");
    Cli.ok("put", db, "k", "v");
    byte[] before = Files.readAllBytes(db);
    for (String commandLine : new String[] {"get D k", "scan D", "dump D", "stat D", "verify D"}) {
      runOn(db, commandLine).expect(ExitStatus.SUCCESS);
      assertArrayEquals(before, Files.readAllBytes(db), commandLine);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "frobnicate",
        "get",
        "get D",
        "put D k",
        "put D k v extra",
        "get D k --nonsense",
        "get D k --keys ascii",
        "get D k --values int64",
        "put D k v --durability most",
        "put D k v --value-file f",
        "put D k v --read-only",
        "del D k --read-only",
        "scan D --from"
      })
  void wrongUsageIsTwoAndShowsTheUsage(String commandLine) throws IOException {
    Cli.Result result = runOn(folder.resolve("d"), commandLine).expect(ExitStatus.WRONG_USAGE);
    assertEquals("", result.out());
    assertTrue(result.err().startsWith("kvdb: "), result.err());
    assertTrue(result.err().contains("Usage: kvdb"), result.err());
    assertFalse(Files.exists(folder.resolve("d")));
  }

  @Test
  void anEmptyNameIsWrongUsage() {
    for (String command : new String[] {"get", "del"}) {
      Cli.run(command, "", "k").expect(ExitStatus.WRONG_USAGE);
    }
    Cli.run("put", "", "k", "v").expect(ExitStatus.WRONG_USAGE);
  }

  @Test
  void charactersThatTheLocaleLostAreRefused() {
    Path db = folder.resolve("test.kvdb");
    Cli.Result result = Cli.run("put", db, "\uFFFD", "v").expect(ExitStatus.WRONG_USAGE);
    assertTrue(result.err().contains("LC_ALL"), result.err());
    assertFalse(Files.exists(db));
    Cli.ok("put", db, "\\xEF\\xBF\\xBD", "v");
    assertEquals("\uFFFD\tv\n", Cli.ok("scan", db));
  }

  @Test
  void theStackTraceIsShownOnlyOnRequest() {
    Path db = folder.resolve("none.kvdb");
    assertEquals(1, Cli.run("get", db, "k").err().lines().count());
    Cli.Result result = Cli.run("get", db, "k", "--stacktrace").expect(ExitStatus.FAILURE);
    assertTrue(result.err().contains("\tat dev.kvdb."), result.err());
  }

  @Test
  void helpAndVersionGoToStandardOutput() {
    assertTrue(Cli.ok("help").contains("Usage: kvdb"));
    assertTrue(Cli.ok("--help").contains("verify"));
    assertTrue(Cli.ok("help", "scan").contains("--prefix"));
    assertTrue(Cli.ok("scan", "--help").contains("--prefix"));
    assertTrue(Cli.ok("version").startsWith("kvdb "));
    assertEquals(Cli.ok("version"), Cli.ok("--version"));
  }

  private static Cli.Result runOn(Path db, String commandLine) {
    Object[] words = commandLine.isEmpty() ? new Object[0] : (Object[]) commandLine.split(" ");
    for (int i = 0; i < words.length; i++) {
      if (words[i].equals("D")) {
        words = words.clone();
        words[i] = db.toString();
      }
    }
    return Cli.run(words);
  }
}
