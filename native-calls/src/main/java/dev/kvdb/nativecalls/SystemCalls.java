package dev.kvdb.nativecalls;

import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.ArrayList;
import java.util.List;

/** Chooses the implementation for this system, once. */
final class SystemCalls {
  private static final String SUPPORTED = "Linux on x86-64 and aarch64";

  private SystemCalls() {}

  /** Exactly one of the two is null. Its class is initialised at the first use, and never fails. */
  private static final class Choice {
    static final NativeCalls CALLS;
    static final String PROBLEM;

    static {
      PROBLEM = problem(System.getProperty("os.name"), System.getProperty("os.arch"));
      // Linking happens when this class is initialised: only after all that can fail was tried.
      CALLS = PROBLEM == null ? new LinuxCalls() : null;
    }
  }

  static NativeCalls instance() {
    if (Choice.CALLS == null) {
      throw new UnsupportedOperationException(Choice.PROBLEM);
    }
    return Choice.CALLS;
  }

  /**
   * What keeps kvdb from working here, and what to do about it.
   *
   * @return null if nothing does
   */
  static String problem(String system, String architecture) {
    if (!system.equals("Linux") || LinuxConstants.of(architecture) == null) {
      return "kvdb runs on " + SUPPORTED + ", not on " + system + " on " + architecture;
    }
    try {
      // The least of the restricted methods: refused exactly if all of them are.
      MemorySegment.NULL.reinterpret(0);
      return problem(Linker.nativeLinker().defaultLookup());
    } catch (IllegalCallerException e) {
      return "kvdb calls the operating system through java.lang.foreign, and this JVM denies it"
          + " native access; start java with "
          + accessOption(SystemCalls.class.getModule());
    } catch (UnsupportedOperationException e) {
      return "this JVM cannot call native functions (" + e.getMessage() + "): use another build";
    }
  }

  private static String problem(SymbolLookup cLibrary) {
    List<String> names = new ArrayList<>(PosixFunctions.NAMES);
    names.addAll(LinuxFunctions.NAMES);
    List<String> missing = Linking.missing(cLibrary, names);
    return missing.isEmpty()
        ? null
        : "the C library lacks "
            + String.join(", ", missing)
            + "; kvdb needs glibc 2.28 or later, or musl 1.2.5 or later";
  }

  /** The option of the java command that gives a module native access. */
  static String accessOption(Module module) {
    return "--enable-native-access=" + (module.isNamed() ? module.getName() : "ALL-UNNAMED");
  }
}
