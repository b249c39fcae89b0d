package dev.kvdb.cli;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The program {@code kvdb}: reads the command line, runs the command, ends with its exit status.
 */
@Command(
    name = "kvdb",
    description = "An embedded, ordered, persistent key-value store.",
    footer = {
      "",
      "Exit status: 0 success, 1 key not found, 2 wrong usage, 3 input, I/O or other",
      "failure, 4 damaged or unsupported file, 5 locked by another process,",
      "130 interrupted, 141 closed pipe."
    })
public final class Main implements Callable<Integer> {
  @Mixin GeneralOptions options;

  @Option(names = "--version", description = "As the command version.")
  boolean version;

  @Spec CommandSpec spec;

  private final Streams streams;

  private Main(Streams streams) {
    this.streams = streams;
  }

  /**
   * Runs the program and ends this JVM with its exit status.
   *
   * @param args the command and its arguments
   */
  public static void main(String[] args) {
    // System.in and System.out are wrapped in ways that decode, lock or swallow errors.
    InputStream in = new FileInputStream(FileDescriptor.in);
    OutputStream out = new FileOutputStream(FileDescriptor.out);
    OutputStream err = new FileOutputStream(FileDescriptor.err);
    System.exit(run(args, in, out, err, Main::isTerminal));
  }

  private static boolean isTerminal() {
    return System.console() != null && System.console().isTerminal();
  }

  /** Runs one command within this JVM, where no person is looking. */
  static int run(String[] args, InputStream in, OutputStream out, OutputStream err) {
    return run(args, in, out, err, () -> false);
  }

  /**
   * Runs one command within this JVM.
   *
   * @param isTerminal whether progress may be shown on {@code err}
   * @return the exit status, one of {@link ExitStatus}
   */
  static int run(
      String[] args,
      InputStream in,
      OutputStream out,
      OutputStream err,
      BooleanSupplier isTerminal) {
    PrintStream errors = new PrintStream(err, true, StandardCharsets.UTF_8);
    Streams streams = new Streams(in, new Output(out), errors, isTerminal);
    ErrorReport report = new ErrorReport(errors);
    try {
      checkCharacters(args);
      int status = commandLine(streams, report).execute(args);
      streams.out().flush();
      return status;
    } catch (RuntimeException | Error e) {
      // Output that fails at the last flush, and errors that picocli lets through.
      return report.report(null, e, false);
    }
  }

  /** Java puts U+FFFD where an argument has bytes that the locale's encoding does not know. */
  private static void checkCharacters(String[] args) {
    for (String argument : args) {
      if (argument.indexOf('\uFFFD') >= 0) {
        throw new CliException(
            ExitStatus.WRONG_USAGE,
            "an argument has characters that this locale cannot read"
                + " (set LC_ALL=C.UTF-8, or write their bytes as \\xHH)");
      }
    }
  }

  private static CommandLine commandLine(Streams streams, ErrorReport report) {
    CommandLine line = new CommandLine(new Main(streams));
    line.addSubcommand(new DemoCommand(streams));
    line.addSubcommand(new PutCommand(streams));
    line.addSubcommand(new GetCommand(streams));
    line.addSubcommand(new DelCommand(streams));
    line.addSubcommand(new ScanCommand(streams));
    line.addSubcommand(new LoadCommand(streams));
    line.addSubcommand(new DumpCommand(streams));
    line.addSubcommand(new TablesCommand(streams));
    line.addSubcommand(new DropCommand(streams));
    line.addSubcommand(new StatCommand(streams));
    line.addSubcommand(new VerifyCommand(streams));
    line.addSubcommand(new VersionCommand(streams));
    line.addSubcommand(new CommandLine.HelpCommand());
    // A value may begin with @ or hold quotes; nothing on the command line is expanded.
    line.setExpandAtFiles(false);
    line.setPosixClusteredShortOptionsAllowed(false);
    line.setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF));
    line.setUsageHelpAutoWidth(false);
    line.setOut(new PrintWriter(streams.out().asStream(), true, StandardCharsets.UTF_8));
    line.setErr(new PrintWriter(streams.err(), true, StandardCharsets.UTF_8));
    line.setParameterExceptionHandler((e, arguments) -> usageError(e, streams));
    line.setExecutionExceptionHandler(
        (e, command, result) -> report.report(command.getCommand(), e));
    return line;
  }

  private static int usageError(ParameterException e, Streams streams) {
    streams.err().println("kvdb: " + ErrorReport.oneLine(e.getMessage()));
    e.getCommandLine().usage(streams.err(), Ansi.OFF);
    return ExitStatus.WRONG_USAGE;
  }

  /** What {@code kvdb} without a command does. */
  @Override
  public Integer call() throws IOException {
    if (!version) {
      throw new ParameterException(spec.commandLine(), "give a command");
    }
    return new VersionCommand(streams).call();
  }
}
