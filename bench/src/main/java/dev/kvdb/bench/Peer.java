package dev.kvdb.bench;

/** An ordered map under measurement. One thread. */
interface Peer extends AutoCloseable {
  /** Stores an entry; the arrays are the peer's from then on. */
  void put(byte[] key, byte[] value);

  /** A value that the caller may keep and change, null if the key is absent. */
  byte[] get(byte[] key);

  /**
   * Walks all entries in key order.
   *
   * @return the sum of the last eight bytes of every key and the first eight of every value
   */
  long scan();

  /** Compares all entries, in order, with what {@link Entries} says they are. */
  void verify(int count);

  @Override
  void close();
}
