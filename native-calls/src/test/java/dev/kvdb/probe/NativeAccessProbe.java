package dev.kvdb.probe;

import dev.kvdb.nativecalls.NativeCalls;

/**
 * Run in a JVM of its own: prints what asking for the calls came to, twice. In no package of the
 * module, so that it can stand on the class path beside the module.
 */
public final class NativeAccessProbe {
  private NativeAccessProbe() {}

  public static void main(String[] arguments) {
    for (int i = 0; i < 2; i++) {
      try {
        System.out.println("page size " + NativeCalls.system().systemPageSize());
      } catch (UnsupportedOperationException e) {
        System.out.println(e.getMessage());
      }
    }
  }
}
