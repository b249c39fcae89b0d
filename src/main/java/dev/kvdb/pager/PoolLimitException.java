package dev.kvdb.pager;

/** A limit set by an option was reached; the message names the option. */
public final class PoolLimitException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  PoolLimitException(String message) {
    super(message);
  }
}
