package dev.kvdb.cli;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Standard output, buffered, always UTF-8. A {@link java.io.PrintStream} would swallow errors; here
 * each is an {@link OutputException}. For one thread.
 */
final class Output {
  private static final int BUFFER_BYTES = 64 * 1024;

  private final OutputStream stream;

  /** Once a write has failed that was reported; what is still buffered would fail once more. */
  private boolean hasFailed;

  Output(OutputStream stream) {
    this.stream = new BufferedOutputStream(stream, BUFFER_BYTES);
  }

  /** Writes bytes as they are. */
  void write(byte[] bytes) {
    try {
      stream.write(bytes);
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** Writes text as it is. */
  void print(String text) {
    write(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Writes text and a newline. */
  void line(String text) {
    print(text);
    write(NEWLINE);
  }

  /** Writes a formatted line, numbers as {@link Locale#ROOT} has them. */
  void line(String format, Object... arguments) {
    line(String.format(Locale.ROOT, format, arguments));
  }

  /** Hands everything written so far to the operating system, unless an earlier write failed. */
  void flush() {
    if (hasFailed) {
      return;
    }
    try {
      stream.flush();
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private OutputException failed(IOException cause) {
    hasFailed = true;
    return new OutputException(cause);
  }

  /** A stream that writes here and whose close only flushes. */
  OutputStream asStream() {
    return new OutputStream() {
      @Override
      public void write(int value) {
        Output.this.write(new byte[] {(byte) value});
      }

      @Override
      public void write(byte[] bytes, int offset, int length) {
        try {
          stream.write(bytes, offset, length);
        } catch (IOException e) {
          throw failed(e);
        }
      }

      @Override
      public void flush() {
        Output.this.flush();
      }

      @Override
      public void close() {
        Output.this.flush();
      }
    };
  }

  private static final byte[] NEWLINE = {'\n'};
}
