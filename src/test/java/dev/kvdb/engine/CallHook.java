package dev.kvdb.engine;

import dev.kvdb.nativecalls.NativeCalls;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** Lets a test see, delay or fail calls to the operating system before they are made. */
interface CallHook {
  /** Called before each call; what it throws is thrown instead of the call. */
  void before(String method, Object[] arguments);

  static NativeCalls around(NativeCalls calls, CallHook hook) {
    return (NativeCalls)
        Proxy.newProxyInstance(
            CallHook.class.getClassLoader(),
            new Class<?>[] {NativeCalls.class},
            (proxy, method, arguments) -> {
              hook.before(method.getName(), arguments == null ? new Object[] {null} : arguments);
              try {
                return method.invoke(calls, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
