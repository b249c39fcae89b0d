package dev.kvdb.cli;

import picocli.CommandLine.Option;

/** The options of every command. */
class GeneralOptions {
  @Option(names = "--stacktrace", description = "On an error print the Java stack trace too.")
  boolean stacktrace;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Print this text.")
  boolean help;
}
