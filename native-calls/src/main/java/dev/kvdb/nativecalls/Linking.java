package dev.kvdb.nativecalls;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * Binds C functions to method handles. Each handle takes, before the function's own parameters, a
 * segment of {@link #ERRNO_LAYOUT} into which the call's errno goes.
 *
 * <p>{@code size_t}, {@code ssize_t} and {@code off_t} are {@link #LONG}: only systems where all of
 * them have 64 bits are supported.
 */
final class Linking {
  static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
  static final ValueLayout POINTER = ValueLayout.ADDRESS;

  /** What a captured errno lies in. */
  static final StructLayout ERRNO_LAYOUT = Linker.Option.captureStateLayout();

  private static final long ERRNO_OFFSET =
      ERRNO_LAYOUT.byteOffset(MemoryLayout.PathElement.groupElement("errno"));

  private static final Linker.Option CAPTURE_ERRNO = Linker.Option.captureCallState("errno");

  private Linking() {}

  /** The functions of the C library that this JVM runs on. */
  static SymbolLookup cLibrary() {
    return Linker.nativeLinker().defaultLookup();
  }

  /** Those of the names that a lookup does not know. */
  static List<String> missing(SymbolLookup lookup, List<String> names) {
    return names.stream().filter(name -> lookup.find(name).isEmpty()).toList();
  }

  /** Binds a function that has a fixed number of arguments. */
  static MethodHandle function(
      SymbolLookup lookup, String name, MemoryLayout result, MemoryLayout... arguments) {
    return link(lookup, name, FunctionDescriptor.of(result, arguments), List.of());
  }

  /**
   * Binds a function declared with {@code ...}. This must be said even where every argument passed
   * is a named one: some systems pass those behind the dots in other places.
   *
   * @param namedCount how many arguments stand before the dots
   */
  static MethodHandle variadic(
      SymbolLookup lookup,
      String name,
      int namedCount,
      MemoryLayout result,
      MemoryLayout... arguments) {
    return link(
        lookup,
        name,
        FunctionDescriptor.of(result, arguments),
        List.of(Linker.Option.firstVariadicArg(namedCount)));
  }

  private static MethodHandle link(
      SymbolLookup lookup, String name, FunctionDescriptor type, List<Linker.Option> options) {
    MemorySegment address =
        lookup
            .find(name)
            .orElseThrow(
                () -> new UnsupportedOperationException("the C library has no function " + name));
    List<Linker.Option> all = new ArrayList<>(options);
    all.add(CAPTURE_ERRNO);
    return Linker.nativeLinker().downcallHandle(address, type, all.toArray(Linker.Option[]::new));
  }

  /**
   * The errno in a segment of {@link #ERRNO_LAYOUT}; it means something only if the call failed.
   */
  static int errno(MemorySegment captured) {
    return captured.get(INT, ERRNO_OFFSET);
  }

  /** Passes on what a handle threw. A C function throws nothing, so a checked one is a bug. */
  static RuntimeException unexpected(Throwable thrown) {
    if (thrown instanceof RuntimeException exception) {
      return exception;
    }
    if (thrown instanceof Error error) {
      throw error;
    }
    return new IllegalStateException("a native call threw " + thrown, thrown);
  }
}
