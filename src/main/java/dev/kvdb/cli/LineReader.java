package dev.kvdb.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads lines of strict UTF-8 that end with a newline, or with the end of the input, and counts
 * them. A {@link java.io.BufferedReader} would take a carriage return for an end and replace bytes
 * that are no UTF-8. For one thread.
 */
final class LineReader {
  /** No line of a database whose entries fit in memory comes near this. */
  static final int LINE_BYTES_MAX = 64 << 20;

  private static final int BUFFER_BYTES = 64 * 1024;

  private final InputStream in;
  private final CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private byte[] line = new byte[1024];
  private int position;
  private int end;
  private long lineNumber;

  LineReader(InputStream in) {
    this.in = in;
  }

  /** The number of the line that was read last, counted from 1. */
  long lineNumber() {
    return lineNumber;
  }

  /**
   * The next line without its newline; null at the end of the input.
   *
   * @throws BadInputException if it is not UTF-8, too long, or has Windows line ends
   */
  String next() throws IOException, BadInputException {
    int length = 0;
    lineNumber++;
    while (true) {
      if (position == end && !fill()) {
        return length == 0 ? null : decode(length);
      }
      int newline = position;
      while (newline < end && buffer[newline] != '\n') {
        newline++;
      }
      int part = newline - position;
      if (length + part > LINE_BYTES_MAX) {
        throw new BadInputException(
            lineNumber, "the line is longer than " + (LINE_BYTES_MAX >> 20) + " MiB");
      }
      if (length + part > line.length) {
        line = Arrays.copyOf(line, Math.max(length + part, 2 * line.length));
      }
      System.arraycopy(buffer, position, line, length, part);
      length += part;
      position = newline;
      if (newline < end) {
        position++;
        return decode(length);
      }
    }
  }

  private boolean fill() throws IOException {
    position = 0;
    end = Math.max(0, in.read(buffer));
    return end > 0;
  }

  private String decode(int length) throws BadInputException {
    if (length > 0 && line[length - 1] == '\r') {
      throw new BadInputException(
          lineNumber,
          "it ends with a carriage return (convert the line ends to newlines, or write \\r)");
    }
    try {
      return decoder.decode(ByteBuffer.wrap(line, 0, length)).toString();
    } catch (CharacterCodingException e) {
      throw new BadInputException(lineNumber, "it is not UTF-8 (write such bytes as \\xHH)");
    }
  }
}
