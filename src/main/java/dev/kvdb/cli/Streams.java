package dev.kvdb.cli;

import java.io.InputStream;
import java.io.PrintStream;

/**
 * The three streams a command works with.
 *
 * @param in standard input
 * @param out standard output: data, and nothing else
 * @param err everything that is not data
 * @param isTerminal whether a person is looking, so that progress may be shown on {@code err}
 */
record Streams(InputStream in, Output out, PrintStream err, boolean isTerminal) {}
