package dev.kvdb.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * The format {@code dbdump}: the text format of Berkeley DB's db_dump and LMDB's mdb_dump.
 *
 * <pre>
 * VERSION=3
 * format=bytevalue
 * type=btree
 * HEADER=END
 *  6b6579          (a blank, then the key, two hexadecimal digits a byte)
 *  76616c7565      (a blank, then its value)
 * DATA=END
 * </pre>
 *
 * <p>With {@code format=print} printable ASCII stands for itself, a backslash is doubled, and other
 * bytes are a backslash and two hexadecimal digits. Both are read; {@code bytevalue} is written.
 * The options {@code --keys} and {@code --values} have no part in it.
 */
final class DbDump {
  private static final String VERSION = "VERSION=3";
  private static final String HEADER_END = "HEADER=END";
  private static final String DATA_END = "DATA=END";

  private DbDump() {}

  /** Reads entries, from the header to the end of the data. */
  static EntryReader reader(InputStream in) {
    return new Reader(in);
  }

  /** Writes entries, with a header before and an end after them. */
  static EntryWriter writer(Output out) {
    return new Writer(out);
  }

  private static final class Writer implements EntryWriter {
    private final Output out;

    Writer(Output out) {
      this.out = out;
    }

    @Override
    public void begin() {
      out.line(VERSION);
      out.line("format=bytevalue");
      out.line("type=btree");
      out.line(HEADER_END);
    }

    @Override
    public void write(byte[] key, byte[] value) {
      out.line(" " + HexFormat.of().formatHex(key));
      out.line(" " + HexFormat.of().formatHex(value));
    }

    @Override
    public void end() {
      out.line(DATA_END);
    }
  }

  private static final class Reader implements EntryReader {
    private final LineReader lines;
    private boolean isHeaderRead;
    private boolean isPrint;
    private byte[] key;
    private byte[] value;

    Reader(InputStream in) {
      this.lines = new LineReader(in);
    }

    @Override
    public boolean next() throws IOException, BadInputException {
      if (!isHeaderRead) {
        readHeader();
        isHeaderRead = true;
      }
      String line = requiredLine(DATA_END);
      if (line.equals(DATA_END)) {
        if (lines.next() != null) {
          throw bad("a second database begins here (dump and load them one at a time)");
        }
        return false;
      }
      key = parse(line);
      line = requiredLine("a value");
      if (line.equals(DATA_END)) {
        throw bad("the last key has no value");
      }
      value = parse(line);
      return true;
    }

    private void readHeader() throws IOException, BadInputException {
      if (!requiredLine(VERSION).equals(VERSION)) {
        throw bad("a dump begins with " + VERSION);
      }
      String line = requiredLine(HEADER_END);
      while (!line.equals(HEADER_END)) {
        takeHeaderLine(line);
        line = requiredLine(HEADER_END);
      }
    }

    /** Sizes and flags of the other database mean nothing here and are passed over. */
    private void takeHeaderLine(String line) throws BadInputException {
      switch (line) {
        case "format=print" -> isPrint = true;
        case "format=bytevalue" -> isPrint = false;
        case "duplicates=1", "dupsort=1" ->
            throw bad("the dump has several values for one key, which kvdb does not keep");
        case "keys=0", "type=recno", "type=queue" ->
            throw bad("the dump has numbers of records in place of keys");
        default -> {
          if (line.startsWith("format=") || line.indexOf('=') < 0) {
            throw bad("no header line that is known: " + line);
          }
        }
      }
    }

    private String requiredLine(String expected) throws IOException, BadInputException {
      String line = lines.next();
      if (line == null) {
        throw bad("the input ends before " + expected);
      }
      return line;
    }

    private byte[] parse(String line) throws BadInputException {
      if (!line.startsWith(" ")) {
        throw bad("a line of data begins with a blank");
      }
      String text = line.substring(1);
      try {
        return isPrint ? parsePrint(text) : Encoding.HEX.parse(text);
      } catch (IllegalArgumentException e) {
        throw bad(e.getMessage());
      }
    }

    private static byte[] parsePrint(String text) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
      int position = 0;
      while (position < text.length()) {
        int backslash = text.indexOf('\\', position);
        int end = backslash < 0 ? text.length() : backslash;
        bytes.writeBytes(text.substring(position, end).getBytes(StandardCharsets.UTF_8));
        position = end;
        if (text.startsWith("\\\\", position)) {
          bytes.write('\\');
          position += 2;
        } else if (backslash >= 0) {
          position += 3;
          if (position > text.length()) {
            throw new IllegalArgumentException("a backslash at the end begins no byte");
          }
          bytes.writeBytes(Encoding.HEX.parse(text.substring(position - 2, position)));
        }
      }
      return bytes.toByteArray();
    }

    private BadInputException bad(String problem) {
      return new BadInputException(lines.lineNumber(), problem);
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
