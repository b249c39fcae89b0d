package dev.kvdb.engine;

import dev.kvdb.nativecalls.NativeCalls;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** Lets a test act before a call reaches the system: note it, hold it up, or let it fail. */
final class WatchedCalls {
  /** Is told of each call before it is made. */
  interface Watcher {
    /** A call by its name in {@link NativeCalls}. */
    void before(String name, Object[] arguments);
  }

  private WatchedCalls() {}

  static NativeCalls of(NativeCalls calls, Watcher watcher) {
    return (NativeCalls)
        Proxy.newProxyInstance(
            WatchedCalls.class.getClassLoader(),
            new Class<?>[] {NativeCalls.class},
            (proxy, method, arguments) -> {
              watcher.before(method.getName(), arguments);
              try {
                return method.invoke(calls, arguments);
              } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
              }
            });
  }
}
