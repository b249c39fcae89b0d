package dev.kvdb;

import java.util.Arrays;
import java.util.HexFormat;

/**
 * A range of keys: from a lower bound, inclusive, to an upper bound, exclusive; either may be
 * missing. Immutable; bounds are copied. Safe for use by many threads.
 */
public final class KeyRange {
  private static final KeyRange ALL = new KeyRange(null, null);

  private final byte[] from;
  private final byte[] to;

  private KeyRange(byte[] from, byte[] to) {
    this.from = from;
    this.to = to;
  }

  /** Every key. */
  public static KeyRange all() {
    return ALL;
  }

  /** The keys from {@code from} on, itself included. */
  public static KeyRange atLeast(byte[] from) {
    return new KeyRange(Limits.checkBound(from).clone(), null);
  }

  /** The keys before {@code to}, itself excluded. */
  public static KeyRange below(byte[] to) {
    return new KeyRange(null, Limits.checkBound(to).clone());
  }

  /**
   * The keys from {@code from}, inclusive, to {@code to}, exclusive; empty if they are not in
   * order.
   */
  public static KeyRange between(byte[] from, byte[] to) {
    return new KeyRange(Limits.checkBound(from).clone(), Limits.checkBound(to).clone());
  }

  /** The keys that begin with a prefix, the prefix itself included. */
  public static KeyRange prefix(byte[] prefix) {
    Limits.checkBound(prefix);
    return prefix.length == 0 ? ALL : new KeyRange(prefix.clone(), firstBehindPrefix(prefix));
  }

  /** The keys that lie in both ranges. */
  public KeyRange intersect(KeyRange other) {
    Limits.checkNotNull("range", other);
    byte[] higherFrom = from;
    if (from == null || (other.from != null && Limits.isBelow(from, other.from))) {
      higherFrom = other.from;
    }
    byte[] lowerTo = to;
    if (to == null || (other.to != null && Limits.isBelow(other.to, to))) {
      lowerTo = other.to;
    }
    return new KeyRange(higherFrom, lowerTo);
  }

  /** The lower bound, inclusive: a copy, null if there is none. */
  public byte[] from() {
    return from == null ? null : from.clone();
  }

  /** The upper bound, exclusive: a copy, null if there is none. */
  public byte[] to() {
    return to == null ? null : to.clone();
  }

  /** Whether a key lies in this range. */
  public boolean contains(byte[] key) {
    Limits.checkNotNull("key", key);
    return (from == null || !Limits.isBelow(key, from)) && (to == null || Limits.isBelow(key, to));
  }

  /** Whether no key can lie in this range. */
  public boolean isEmpty() {
    return to != null && (to.length == 0 || (from != null && !Limits.isBelow(from, to)));
  }

  /** The lower bound itself, for this package, which does not change it. */
  byte[] fromOrNull() {
    return from;
  }

  /** The upper bound itself, for this package, which does not change it. */
  byte[] toOrNull() {
    return to;
  }

  /**
   * The least key above all that begin with a prefix; null if it is all 0xFF, so that there is
   * none.
   */
  private static byte[] firstBehindPrefix(byte[] prefix) {
    int length = prefix.length;
    while (length > 0 && prefix[length - 1] == (byte) 0xFF) {
      length--;
    }
    if (length == 0) {
      return null;
    }
    byte[] behind = Arrays.copyOf(prefix, length);
    behind[length - 1]++;
    return behind;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KeyRange range
        && Arrays.equals(from, range.from)
        && Arrays.equals(to, range.to);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(from) + Arrays.hashCode(to);
  }

  @Override
  public String toString() {
    HexFormat hex = HexFormat.of();
    return "KeyRange["
        + (from == null ? "" : hex.formatHex(from))
        + " to "
        + (to == null ? "" : hex.formatHex(to))
        + "]";
  }
}
