package dev.kvdb.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.Database;
import dev.kvdb.Durability;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo, at a quicker pace; its writer really is another process. */
class DemoTest {
  private static final Demo.Pace QUICK = new Demo.Pace(1000, 200, 30);

  @TempDir Path folder;

  @Test
  void nothingIsLostAndItCanBeRunAgain() throws IOException, InterruptedException {
    Path db = folder.resolve("demo.kvdb");
    for (int run = 0; run < 2; run++) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      int status = new Demo(new Output(bytes), db, Durability.FSYNC, QUICK).run();
      String out = bytes.toString(StandardCharsets.UTF_8);
      assertEquals(ExitStatus.SUCCESS, status, out);
      long acknowledged = number(out, "acknowledged +([0-9,]+) commits");
      assertTrue(acknowledged > 0, out);
      assertTrue(number(out, "recovered +([0-9,]+) commits") >= acknowledged, out);
      assertEquals(0, number(out, "lost +([0-9,]+) acknowledged"), out);
      assertEquals(0, number(out, "half there +([0-9,]+) commits"), out);
      assertTrue(out.contains("GRINNING FACE"), out);
    }
    assertEquals("GRINNING FACE\n", Cli.ok("get", db, "U+1F600"));
  }

  @Test
  void aDemoDatabaseInUseIsLocked() {
    Path db = folder.resolve("demo.kvdb");
    try (Database database = Database.open(db)) {
      Cli.Result result = Cli.run("demo", "--dir", folder).expect(ExitStatus.LOCKED);
      assertTrue(
          result.err().startsWith("kvdb: " + database.file() + ": the database is in use by "),
          result.err());
    }
  }

  @Test
  void theFolderAroundTheFolderMustExist() {
    Cli.Result result =
        Cli.run("demo", "--dir", folder.resolve("a").resolve("b")).expect(ExitStatus.FAILURE);
    assertTrue(result.err().contains("there is no folder " + folder.resolve("a")), result.err());
  }

  private static long number(String text, String pattern) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    assertTrue(matcher.find(), text);
    return Long.parseLong(matcher.group(1).replace(",", ""));
  }
}
