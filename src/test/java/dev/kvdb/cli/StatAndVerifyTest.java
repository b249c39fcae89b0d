package dev.kvdb.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** stat, verify and the JSON they print. */
class StatAndVerifyTest {
  @TempDir Path folder;
  private Path db;

  @BeforeEach
  void store() {
    db = folder.resolve("test.kvdb");
    Cli.ok("put", db, "key", "value");
    Cli.ok("put", db, "key2", "", "--table", "other");
  }

  @Test
  void statTellsOfEveryTable() {
    String out = Cli.ok("stat", db);
    assertTrue(out.contains("page size        4,096 bytes\n"), out);
    assertTrue(
        out.contains("table default    1 entries, 3 key bytes, 5 value bytes, height 1, "), out);
    assertTrue(
        out.contains("table other      1 entries, 4 key bytes, 0 value bytes, height 1, "), out);
    assertFalse(Cli.ok("stat", db, "--table", "other").contains("table default"));
    Cli.run("stat", db, "--table", "none").expect(ExitStatus.FAILURE);
  }

  @Test
  void statAsJson() {
    String json = Cli.ok("stat", db, "--json");
    assertEquals(1, json.lines().count());
    assertTrue(json.contains("\"pageBytes\":4096,"), json);
    assertTrue(
        json.contains("{\"name\":\"default\",\"entries\":1,\"keyBytes\":3,\"valueBytes\":5,"),
        json);
  }

  @Test
  void verifyOfAGoodDatabase() {
    String out = Cli.ok("verify", db);
    assertTrue(out.endsWith(" pages and 2 entries checked: nothing is wrong\n"), out);
    String json = Cli.ok("verify", db, "--json");
    assertTrue(json.startsWith("{\"ok\":true,\"pagesChecked\":"), json);
    assertTrue(json.endsWith(",\"entriesChecked\":2,\"problems\":[]}\n"), json);
  }

  @Test
  void tablesAreListedAndDropped() {
    assertEquals("default\t1\nother\t1\n", Cli.ok("tables", db));
    assertEquals("", Cli.ok("drop", db, "other"));
    assertEquals("default\t1\n", Cli.ok("tables", db));
    Cli.Result result = Cli.run("drop", db, "other").expect(ExitStatus.FAILURE);
    assertTrue(result.err().contains("there is no table \"other\""), result.err());
    Cli.run("drop", db, "default", "--table", "other").expect(ExitStatus.WRONG_USAGE);
    Cli.run("drop", db).expect(ExitStatus.WRONG_USAGE);
  }

  @Test
  void jsonIsEscaped() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("a\"b", "\\ \n\t\r\u0001 é 😀 \uD800");
    map.put("list", Arrays.asList(1, -2L, 0.5, true, null, List.of()));
    assertEquals(
        "{\"a\\\"b\":\"\\\\ \\n\\t\\r\\u0001 é 😀 \\ud800\",\"list\":[1,-2,0.5,true,null,[]]}",
        Json.of(map));
  }
}
