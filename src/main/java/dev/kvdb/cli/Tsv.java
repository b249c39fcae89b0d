package dev.kvdb.cli;

import java.io.IOException;
import java.io.InputStream;

/** The format {@code tsv}: key, a tab, value, a newline. */
final class Tsv {
  private Tsv() {}

  /** Reads entries whose keys and values are in the encodings given. */
  static EntryReader reader(InputStream in, Encoding keys, Encoding values) {
    return new Reader(in, keys, values);
  }

  /** Writes entries with keys and values in the encodings given. */
  static EntryWriter writer(Output out, Encoding keys, Encoding values) {
    return (key, value) -> out.line(keys.format(key) + "\t" + values.format(value));
  }

  private static final class Reader implements EntryReader {
    private final LineReader lines;
    private final Encoding keys;
    private final Encoding values;
    private byte[] key;
    private byte[] value;

    Reader(InputStream in, Encoding keys, Encoding values) {
      this.lines = new LineReader(in);
      this.keys = keys;
      this.values = values;
    }

    @Override
    public boolean next() throws IOException, BadInputException {
      String line = lines.next();
      if (line == null) {
        return false;
      }
      int tab = line.indexOf('\t');
      if (tab < 0) {
        throw new BadInputException(lineNumber(), "it has no tab between key and value");
      }
      if (line.indexOf('\t', tab + 1) >= 0) {
        throw new BadInputException(
            lineNumber(), "it has more than one tab (write a tab within a value as \\t)");
      }
      key = parse("key", line.substring(0, tab), keys);
      value = parse("value", line.substring(tab + 1), values);
      return true;
    }

    private byte[] parse(String what, String text, Encoding encoding) throws BadInputException {
      try {
        return encoding.parse(text);
      } catch (IllegalArgumentException e) {
        throw new BadInputException(lineNumber(), "its " + what + ": " + e.getMessage());
      }
    }

    @Override
    public byte[] key() {
      return key;
    }

    @Override
    public byte[] value() {
      return value;
    }

    @Override
    public long lineNumber() {
      return lines.lineNumber();
    }
  }
}
