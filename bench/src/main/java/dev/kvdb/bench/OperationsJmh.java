package dev.kvdb.bench;

import dev.kvdb.Cursor;
import dev.kvdb.Table;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Single operations on a table that was loaded in random order; with {@code -prof gc} also what they
 * allocate.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(
    value = 1,
    jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED", "-Xms1g", "-Xmx1g"})
@State(Scope.Benchmark)
public class OperationsJmh {
  /** Entries of the table. */
  @Param("1000000")
  public int keys;

  private final byte[] key = Entries.key(0);
  private final byte[] value = Entries.value(0);
  private Path folder;
  private KvdbPeer peer;
  private Table table;
  private Arena arena;
  private MemorySegment buffer;
  private Cursor cursor;
  private long random = 1;

  /** Loads the table. */
  @Setup(Level.Trial)
  public void load() throws IOException {
    folder = Files.createTempDirectory("kvdb-jmh");
    peer = new KvdbPeer(folder.resolve("jmh.kvdb"), KvdbPeer.OPTIONS);
    table = peer.table();
    for (int index : Entries.shuffled(keys, 0)) {
      peer.put(Entries.key(index), Entries.value(index));
    }
    arena = Arena.ofShared();
    buffer = arena.allocate(Entries.VALUE_BYTES);
    cursor = table.cursor();
  }

  /** Closes and deletes the database. */
  @TearDown(Level.Trial)
  public void close() throws IOException {
    cursor.close();
    arena.close();
    peer.close();
    List<Path> files;
    try (Stream<Path> list = Files.list(folder)) {
      files = list.toList();
    }
    for (Path file : files) {
      delete(file);
    }
    delete(folder);
  }

  private static void delete(Path path) {
    try {
      Files.delete(path);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private byte[] nextKey() {
    random = random * 6_364_136_223_846_793_005L + 1_442_695_040_888_963_407L;
    Entries.fillKey(key, (int) ((random >>> 33) % keys));
    return key;
  }

  /** A random key, its value copied into memory of the caller: allocates nothing. */
  @Benchmark
  public int getIntoBuffer() {
    return table.get(nextKey(), buffer);
  }

  /** A random key, its value copied into a new array. */
  @Benchmark
  public byte[] getCopy() {
    return table.get(nextKey());
  }

  /** A random key overwritten, a commit of its own at level NONE. */
  @Benchmark
  public void put() {
    table.put(nextKey(), value);
  }

  /** The next entry, key and value touched without copies. */
  @Benchmark
  public long cursorNext() {
    if (!cursor.next()) {
      cursor.close();
      cursor = table.cursor();
      cursor.next();
    }
    return cursor.keyView().byteSize() + cursor.valueView().byteSize();
  }
}
