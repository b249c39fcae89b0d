package dev.kvdb.log;

import dev.kvdb.nativecalls.NativeCallException;
import dev.kvdb.nativecalls.NativeCalls;
import dev.kvdb.nativecalls.NativeCalls.MappedFile;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/**
 * Passes every call on to the system, except those that a test wants to fail. Counts calls of the
 * kinds in {@link #counted}; the one whose turn is {@link #failAt}, and as many behind it as {@link
 * #failures} says, fail with EIO.
 */
final class FaultyCalls {
  private final NativeCalls system;
  final NativeCalls calls;

  /** Names of methods: write, store, flush, allocate, syncDirectory, prefault, open, unlink. */
  volatile Set<String> counted = Set.of();

  /** The turn, from 1 on, of the first call to fail; 0 for none. */
  volatile int failAt;

  volatile int failures = 1;

  /** Whether half of the bytes are written before a write or store fails. */
  volatile boolean tears;

  /** What a flush returns. */
  volatile boolean flushSurvives = true;

  private int turn;
  final List<String> log = Collections.synchronizedList(new ArrayList<>());

  FaultyCalls(NativeCalls system) {
    this.system = system;
    this.calls = proxy(NativeCalls.class, system);
  }

  /** Begins to count anew. */
  synchronized void arm(int at, int count, String... kinds) {
    turn = 0;
    failAt = at;
    failures = count;
    counted = Set.of(kinds);
  }

  void disarm() {
    arm(0, 0);
  }

  synchronized int turns() {
    return turn;
  }

  private synchronized boolean isTurn(String method) {
    if (!counted.contains(method)) {
      return false;
    }
    turn++;
    return failAt > 0 && turn >= failAt && turn < failAt + failures;
  }

  private <T> T proxy(Class<T> type, T target) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              String name = method.getName();
              log.add(name);
              if (isTurn(name)) {
                if (tears) {
                  tear(target, name, arguments);
                }
                if (name.equals("store")) {
                  throw new InternalError("a fault occurred in an unsafe memory access operation");
                }
                throw new NativeCallException(name, "injected", 5, "EIO", "input/output error");
              }
              try {
                Object result = method.invoke(target, arguments);
                if (name.equals("mapShared")) {
                  return proxy(MappedFile.class, (MappedFile) result);
                }
                return name.equals("flush") ? (Object) flushSurvives : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  private void tear(Object target, String name, Object[] arguments) {
    if (name.equals("write")) {
      MemorySegment buffer = (MemorySegment) arguments[1];
      system.write(
          (int) arguments[0], buffer.asSlice(0, buffer.byteSize() / 2), (long) arguments[2]);
    } else if (name.equals("store")) {
      ((MappedFile) target)
          .store(
              (long) arguments[0],
              (byte[]) arguments[1],
              (int) arguments[2],
              (int) arguments[3] / 2);
    }
  }
}
