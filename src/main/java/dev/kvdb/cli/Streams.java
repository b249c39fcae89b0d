package dev.kvdb.cli;

import java.io.InputStream;
import java.io.PrintStream;
import java.util.function.BooleanSupplier;

/**
 * The three streams a command works with.
 *
 * @param in standard input
 * @param out standard output: data, and nothing else
 * @param err everything that is not data
 * @param isTerminal whether a person is looking, so that progress may be shown on {@code err};
 *     asked only where it matters, because finding out takes a while
 */
record Streams(InputStream in, Output out, PrintStream err, BooleanSupplier isTerminal) {}
