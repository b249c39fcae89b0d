package dev.kvdb.bench;

import dev.kvdb.Cursor;
import dev.kvdb.Database;
import dev.kvdb.Durability;
import dev.kvdb.Options;
import dev.kvdb.Table;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Path;

/** kvdb: every put a commit of its own at level {@code NONE}, a pool of 256 MiB. */
final class KvdbPeer implements Peer {
  static final Options OPTIONS =
      Options.defaults().withDurability(Durability.NONE).withPoolBytes(256L << 20);

  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final Database database;
  private final Table table;

  KvdbPeer(Path file, Options options) {
    this.database = Database.open(file, options);
    this.table = database.table();
  }

  Database database() {
    return database;
  }

  Table table() {
    return table;
  }

  @Override
  public void put(byte[] key, byte[] value) {
    table.put(key, value);
  }

  @Override
  public byte[] get(byte[] key) {
    return table.get(key);
  }

  @Override
  public long scan() {
    long sum = 0;
    try (Cursor cursor = table.cursor()) {
      while (cursor.next()) {
        MemorySegment key = cursor.keyView();
        sum += key.get(LONG, key.byteSize() - Long.BYTES);
        sum += cursor.valueView().get(LONG, 0);
      }
    }
    return sum;
  }

  @Override
  public void verify(int count) {
    int index = 0;
    try (Cursor cursor = table.cursor()) {
      while (cursor.next()) {
        Verification.requireEntry(index++, cursor.key(), cursor.value());
      }
    }
    Verification.requireCount(count, index);
    Verification.requireCount(count, table.count());
  }

  @Override
  public void close() {
    database.close();
  }
}
