package dev.kvdb.engine;

import dev.kvdb.nativecalls.NativeCalls;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Native calls of which a test does some otherwise, to plant a bug beneath the engine. */
abstract class ChangedCalls {
  private final NativeCalls target;
  private final Map<Integer, String> names = new ConcurrentHashMap<>();

  ChangedCalls(NativeCalls target) {
    this.target = target;
  }

  /** One call on its way. */
  final class Call {
    final String name;
    final Object[] arguments;
    private final Method method;

    private Call(Method method, Object[] arguments) {
      this.method = method;
      this.arguments = arguments;
      this.name = method.getName();
    }

    /** Whether it is of this name and about an open file with this ending of its name. */
    boolean is(String callName, String fileNameEnd) {
      return name.equals(callName) && fileName().endsWith(fileNameEnd);
    }

    /** The name of the file whose descriptor it was given; empty if it has none. */
    String fileName() {
      return arguments != null && arguments[0] instanceof Integer descriptor
          ? names.getOrDefault(descriptor, "")
          : "";
    }

    /** The place in the file that a write goes to. */
    long offset() {
      return (long) arguments[2];
    }

    Object proceed() throws Throwable {
      try {
        Object result = method.invoke(target, arguments);
        if (name.equals("open")) {
          String opened = ((Path) arguments[0]).getFileName().toString();
          // A database that this open creates keeps its descriptor when it gets its name.
          names.put((Integer) result, opened.replace(DatabaseFile.TEMPORARY_SUFFIX, ""));
        }
        return result;
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }
  }

  /** Does a call, or something else in its place. */
  abstract Object perform(Call call) throws Throwable;

  final NativeCalls calls() {
    return (NativeCalls)
        Proxy.newProxyInstance(
            NativeCalls.class.getClassLoader(),
            new Class<?>[] {NativeCalls.class},
            (proxy, method, arguments) -> perform(new Call(method, arguments)));
  }
}
