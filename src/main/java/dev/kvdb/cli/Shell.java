package dev.kvdb.cli;

/** Text that is to be typed into a shell. */
final class Shell {
  private Shell() {}

  /** The text as one word of a POSIX shell. */
  static String quote(String text) {
    return text.matches("[A-Za-z0-9_@%+=:,./-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
  }
}
