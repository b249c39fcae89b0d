package dev.kvdb.cli;

import java.io.InputStream;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The formats of {@code load} and {@code dump}. */
enum EntryFormat {
  /** See {@link Tsv}. */
  TSV {
    @Override
    EntryReader reader(InputStream in, Encoding keys, Encoding values) {
      return Tsv.reader(in, keys, values);
    }

    @Override
    EntryWriter writer(Output out, Encoding keys, Encoding values) {
      return Tsv.writer(out, keys, values);
    }
  },

  /** See {@link JsonLines}. */
  JSONL {
    @Override
    EntryReader reader(InputStream in, Encoding keys, Encoding values) {
      return JsonLines.reader(in, keys, values);
    }

    @Override
    EntryWriter writer(Output out, Encoding keys, Encoding values) {
      return JsonLines.writer(out, keys, values);
    }
  },

  /** See {@link DbDump}. */
  DBDUMP {
    @Override
    EntryReader reader(InputStream in, Encoding keys, Encoding values) {
      return DbDump.reader(in);
    }

    @Override
    EntryWriter writer(Output out, Encoding keys, Encoding values) {
      return DbDump.writer(out);
    }
  };

  /** Reads entries of this format. */
  abstract EntryReader reader(InputStream in, Encoding keys, Encoding values);

  /** Writes entries in this format. */
  abstract EntryWriter writer(Output out, Encoding keys, Encoding values);

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** For {@code --format}. */
  static final class Converter implements ITypeConverter<EntryFormat> {
    @Override
    public EntryFormat convert(String name) {
      for (EntryFormat format : values()) {
        if (format.toString().equals(name)) {
          return format;
        }
      }
      String known =
          Arrays.stream(values()).map(EntryFormat::toString).collect(Collectors.joining(", "));
      throw new TypeConversionException("'" + name + "' is no format (there are: " + known + ")");
    }
  }
}
