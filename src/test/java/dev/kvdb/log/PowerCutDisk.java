package dev.kvdb.log;

import dev.kvdb.nativecalls.NativeCallException;
import dev.kvdb.nativecalls.NativeCalls;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A disk whose power can be cut: what was written since a file's last flush survives sector by
 * sector, in any combination. For one thread, and for files that are written with pwrite.
 */
final class PowerCutDisk {
  private static final int SECTOR_BYTES = 512;

  private static final class Contents {
    byte[] durable = new byte[0];
    final List<Write> pending = new ArrayList<>();
  }

  private record Write(int offset, byte[] bytes) {}

  private final Map<Path, Contents> files = new HashMap<>();
  private final Map<Integer, Path> paths = new HashMap<>();

  /** The next so many writes fail after half of their bytes; 0 for none. */
  int writesToFail;

  final NativeCalls calls =
      (NativeCalls)
          Proxy.newProxyInstance(
              NativeCalls.class.getClassLoader(),
              new Class<?>[] {NativeCalls.class},
              (self, method, arguments) -> {
                try {
                  return call(method.getName(), method, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });

  private Object call(String name, java.lang.reflect.Method method, Object[] arguments)
      throws ReflectiveOperationException {
    if (name.equals("write")) {
      return write(arguments);
    }
    // Flushing the real disk as well would only take time.
    Object result =
        name.equals("flush")
            ? (Object) true
            : name.equals("syncDirectory") ? null : method.invoke(NativeCalls.system(), arguments);
    switch (name) {
      case "open" -> {
        Path path = (Path) arguments[0];
        paths.put((int) result, path);
        files.computeIfAbsent(path, p -> new Contents());
      }
      case "allocate" -> {
        Contents file = contents(arguments[0]);
        int end = Math.toIntExact((long) arguments[1] + (long) arguments[2]);
        file.durable = Arrays.copyOf(file.durable, Math.max(end, file.durable.length));
      }
      case "flush" -> {
        Contents file = contents(arguments[0]);
        file.pending.forEach(write -> apply(file.durable, write, 0, write.bytes.length));
        file.pending.clear();
      }
      case "unlink" -> files.remove((Path) arguments[0]);
      default -> {
        // Of no consequence for what survives.
      }
    }
    return result;
  }

  private Object write(Object[] arguments) {
    MemorySegment buffer = (MemorySegment) arguments[1];
    boolean fails = writesToFail > 0;
    if (fails) {
      writesToFail--;
      buffer = buffer.asSlice(0, buffer.byteSize() / 2);
    }
    NativeCalls.system().write((int) arguments[0], buffer, (long) arguments[2]);
    contents(arguments[0])
        .pending
        .add(
            new Write(Math.toIntExact((long) arguments[2]), buffer.toArray(ValueLayout.JAVA_BYTE)));
    if (fails) {
      throw new NativeCallException("pwrite", "injected", 5, "EIO", "input/output error");
    }
    return null;
  }

  private Contents contents(Object descriptor) {
    return files.get(paths.get((int) descriptor));
  }

  private static void apply(byte[] image, Write write, int from, int to) {
    System.arraycopy(write.bytes, from, image, write.offset + from, to - from);
  }

  /** Puts into another directory what a power cut now could leave. */
  void cut(Random random, Path directory) throws IOException {
    double survival = random.nextInt(5) / 4.0;
    for (Map.Entry<Path, Contents> entry : files.entrySet()) {
      byte[] image = entry.getValue().durable.clone();
      for (Write write : entry.getValue().pending) {
        int from = 0;
        while (from < write.bytes.length) {
          int sectorEnd = (write.offset + from) / SECTOR_BYTES * SECTOR_BYTES + SECTOR_BYTES;
          int to = Math.min(write.bytes.length, sectorEnd - write.offset);
          if (random.nextDouble() < survival) {
            apply(image, write, from, to);
          }
          from = to;
        }
      }
      Files.write(directory.resolve(entry.getKey().getFileName()), image);
    }
  }
}
