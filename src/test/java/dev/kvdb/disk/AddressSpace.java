package dev.kvdb.disk;

import java.util.Map;
import java.util.TreeMap;

/** The reservations that were made and not given back. Thread-safe. */
final class AddressSpace {
  private final TreeMap<Long, Long> sizeByAddress = new TreeMap<>();

  synchronized void add(long address, long size) {
    sizeByAddress.put(address, size);
  }

  /** Refuses a range that is not wholly reserved: it may belong to someone else by now. */
  synchronized void requireReserved(long address, long size) {
    Map.Entry<Long, Long> found = sizeByAddress.floorEntry(address);
    if (found == null || address + size > found.getKey() + found.getValue()) {
      throw new IllegalStateException(
          "memory at 0x"
              + Long.toHexString(address)
              + ", "
              + size
              + " bytes, is not reserved here");
    }
  }

  /** Takes a range out. */
  synchronized void remove(long address, long size) {
    requireReserved(address, size);
    Map.Entry<Long, Long> found = sizeByAddress.floorEntry(address);
    long start = found.getKey();
    long end = start + found.getValue();
    sizeByAddress.remove(start);
    if (start < address) {
      sizeByAddress.put(start, address - start);
    }
    if (address + size < end) {
      sizeByAddress.put(address + size, end - address - size);
    }
  }

  synchronized Map<Long, Long> left() {
    return Map.copyOf(sizeByAddress);
  }

  synchronized long bytes() {
    return sizeByAddress.values().stream().mapToLong(Long::longValue).sum();
  }
}
