package dev.kvdb.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Runs the command line within the test's JVM, with streams that the test can look at. */
final class Cli {
  /**
   * What a command did.
   *
   * @param status its exit status
   * @param bytes its standard output
   * @param err its standard error
   */
  record Result(int status, byte[] bytes, String err) {
    /** Standard output as text. */
    String out() {
      return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Fails unless the command ended with this status; shows what it said. */
    Result expect(int expectedStatus) {
      assertEquals(expectedStatus, status, () -> "out: " + out() + "\nerr: " + err);
      return this;
    }
  }

  private Cli() {}

  /** Runs a command with no standard input. */
  static Result run(Object... args) {
    return runWith(new byte[0], args);
  }

  /** Runs a command that reads some bytes as its standard input. */
  static Result runWith(byte[] in, Object... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int status = Main.run(words(args), new ByteArrayInputStream(in), out, err);
    return new Result(status, out.toByteArray(), err.toString(StandardCharsets.UTF_8));
  }

  /** Runs a command whose standard output is the stream given. */
  static Result runInto(OutputStream out, Object... args) {
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int status = Main.run(words(args), new ByteArrayInputStream(new byte[0]), out, err);
    return new Result(status, new byte[0], err.toString(StandardCharsets.UTF_8));
  }

  /** Runs a command that must succeed; returns its standard output. */
  static String ok(Object... args) {
    Result result = run(args).expect(ExitStatus.SUCCESS);
    assertEquals("", result.err());
    return result.out();
  }

  private static String[] words(Object... args) {
    return Arrays.stream(args).map(Object::toString).toArray(String[]::new);
  }
}
