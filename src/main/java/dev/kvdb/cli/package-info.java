/**
 * The command line of kvdb: a user of the public API like any other. Each command is a class;
 * {@link dev.kvdb.cli.Main} runs them and turns every failure into one line and an exit status.
 */
package dev.kvdb.cli;
