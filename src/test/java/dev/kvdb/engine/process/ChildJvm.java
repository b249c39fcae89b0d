package dev.kvdb.engine.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process that runs the main method of a test class on the class path of this JVM. */
public final class ChildJvm implements AutoCloseable {
  private static final long WAIT_SECONDS_MAX = 90;

  private final Process process;
  private final Path errors;

  private ChildJvm(Process process, Path errors) {
    this.process = process;
    this.errors = errors;
  }

  /**
   * Starts a process.
   *
   * @param directory where the file for its error output is made
   * @param jvmOptions further options of the java command
   */
  public static ChildJvm start(
      Path directory, List<String> jvmOptions, Class<?> main, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("-Xmx512m");
    command.add("-XX:+UseSerialGC");
    command.addAll(jvmOptions);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    try {
      Path errors = Files.createTempFile(directory, "child", ".err");
      Process process =
          new ProcessBuilder(command).redirectError(errors.toFile()).directory(null).start();
      return new ChildJvm(process, errors);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public InputStream output() {
    return process.getInputStream();
  }

  public long pid() {
    return process.pid();
  }

  /** Lets a child that waits for the end of its input go on. */
  public void endInput() {
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Sends SIGKILL. Through the handle: {@link Process#destroyForcibly} would also close the pipe
   * and lose what the child has reported.
   */
  public void kill() {
    process.toHandle().destroyForcibly();
  }

  /** Waits for the end; the exit status. */
  public int await() {
    try {
      if (!process.waitFor(WAIT_SECONDS_MAX, TimeUnit.SECONDS)) {
        throw new AssertionError("the child process hangs: " + threads() + errors());
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Asks a hanging JVM for its stacks, which it prints to its standard output. */
  private String threads() {
    try {
      new ProcessBuilder("kill", "-QUIT", Long.toString(pid())).start().waitFor();
      Thread.sleep(1000);
      int available = process.getInputStream().available();
      return new String(process.getInputStream().readNBytes(available));
    } catch (IOException | InterruptedException e) {
      return e.toString();
    }
  }

  /** What it printed to its error output. */
  public String errors() {
    try {
      return Files.readString(errors);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    kill();
    await();
  }
}
