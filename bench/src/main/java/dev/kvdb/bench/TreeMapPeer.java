package dev.kvdb.bench;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** {@code TreeMap<byte[], byte[]>} in unsigned byte order, on the Java heap, of no durability. */
final class TreeMapPeer implements Peer {
  private final TreeMap<byte[], byte[]> map = new TreeMap<>(Arrays::compareUnsigned);

  @Override
  public void put(byte[] key, byte[] value) {
    map.put(key, value);
  }

  @Override
  public byte[] get(byte[] key) {
    return map.get(key);
  }

  @Override
  public long scan() {
    long sum = 0;
    for (Map.Entry<byte[], byte[]> entry : map.entrySet()) {
      byte[] key = entry.getKey();
      sum += (long) Entries.LONG.get(key, key.length - Long.BYTES);
      sum += (long) Entries.LONG.get(entry.getValue(), 0);
    }
    return sum;
  }

  @Override
  public void verify(int count) {
    int index = 0;
    for (Map.Entry<byte[], byte[]> entry : map.entrySet()) {
      Verification.requireEntry(index++, entry.getKey(), entry.getValue());
    }
    Verification.requireCount(count, index);
  }

  @Override
  public void close() {
    map.clear();
  }
}
