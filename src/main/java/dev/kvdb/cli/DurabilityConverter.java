package dev.kvdb.cli;

import dev.kvdb.Durability;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** For {@code --durability}: the names of the levels in lower case. */
final class DurabilityConverter implements ITypeConverter<Durability> {
  @Override
  public Durability convert(String name) {
    for (Durability durability : Durability.values()) {
      if (nameOf(durability).equals(name)) {
        return durability;
      }
    }
    throw new TypeConversionException("'" + name + "' is none of none, fsync, barrier, full");
  }

  /** The name of a level as the command line has it. */
  static String nameOf(Durability durability) {
    return durability.name().toLowerCase(Locale.ROOT);
  }
}
