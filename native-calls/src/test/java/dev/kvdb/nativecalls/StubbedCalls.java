package dev.kvdb.nativecalls;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Puts Java functions behind the names of C functions and binds them as the real ones are bound, so
 * that a test sees what the kernel would see, and answers what no kernel can be made to answer.
 */
final class StubbedCalls implements AutoCloseable {
  private static final MethodHandle ERRNO_LOCATION =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().find("__errno_location").orElseThrow(),
              FunctionDescriptor.of(ValueLayout.ADDRESS));

  private final Arena arena = Arena.ofShared();
  private final Map<String, MemorySegment> stubs = new HashMap<>();

  /** {@code int f(int)}: close, fsync, fdatasync. */
  interface OneInt {
    int call(int descriptor);
  }

  /** {@code int f(int, int)}: flock. */
  interface TwoInts {
    int call(int descriptor, int operation);
  }

  /** {@code int f(int, off_t)}: ftruncate. */
  interface IntLong {
    int call(int descriptor, long size);
  }

  /** {@code int f(const char *, int, int)}: open. */
  interface Open {
    int call(MemorySegment path, int flags, int mode);
  }

  /** {@code ssize_t f(int, void *, size_t, off_t)}: pread, pwrite. */
  interface Transfer {
    long call(int descriptor, MemorySegment buffer, long length, long fileOffset);
  }

  /** {@code int f(int, int, off_t, off_t)}: fallocate. */
  interface Fallocate {
    int call(int descriptor, int mode, long offset, long length);
  }

  /** {@code int f(void *, size_t, int)}: madvise, msync. */
  interface Range {
    int call(long address, long length, int number);
  }

  StubbedCalls oneInt(String name, OneInt body) {
    return stub(name, OneInt.class, body, FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  }

  StubbedCalls twoInts(String name, TwoInts body) {
    return stub(name, TwoInts.class, body, FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
  }

  StubbedCalls intLong(String name, IntLong body) {
    return stub(name, IntLong.class, body, FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG));
  }

  StubbedCalls open(Open body) {
    return stub(
        "open",
        Open.class,
        body,
        FunctionDescriptor.of(JAVA_INT, ValueLayout.ADDRESS, JAVA_INT, JAVA_INT));
  }

  StubbedCalls transfer(String name, Transfer body) {
    return stub(
        name,
        Transfer.class,
        body,
        FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ValueLayout.ADDRESS, JAVA_LONG, JAVA_LONG));
  }

  StubbedCalls fallocate(Fallocate body) {
    return stub(
        "fallocate",
        Fallocate.class,
        body,
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
  }

  StubbedCalls range(String name, Range body) {
    return stub(
        name, Range.class, body, FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
  }

  private <T> StubbedCalls stub(String name, Class<T> type, T body, FunctionDescriptor signature) {
    try {
      MethodType methodType = signature.toMethodType();
      MethodHandle handle =
          MethodHandles.lookup().findVirtual(type, "call", methodType).bindTo(body);
      stubs.put(name, Linker.nativeLinker().upcallStub(handle, signature, arena));
      return this;
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  /** Fails like a C function: sets errno and returns -1. */
  static int fail(int errno) {
    try {
      MemorySegment location = (MemorySegment) ERRNO_LOCATION.invokeExact();
      location.reinterpret(Integer.BYTES).set(JAVA_INT, 0, errno);
      return -1;
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }

  /** The implementation for Linux, with the stubs where there are any. */
  LinuxCalls calls() {
    SymbolLookup lookup =
        name -> Optional.ofNullable(stubs.get(name)).or(() -> Linking.cLibrary().find(name));
    PosixFunctions posix = PosixFunctions.link(lookup);
    LinuxFunctions linux = LinuxFunctions.link(lookup);
    return new LinuxCalls() {
      @Override
      PosixFunctions posix() {
        return posix;
      }

      @Override
      LinuxFunctions linux() {
        return linux;
      }
    };
  }

  @Override
  public void close() {
    arena.close();
  }
}
