package dev.kvdb.disk;

/** How much of a call that fails is done all the same. */
public enum Effect {
  /** Nothing; a flush leaves everything it should have written forgotten by the kernel. */
  NONE,
  /**
   * A first part: half of the bytes of a write, half of the growth of an allocation, half of the
   * changes a flush should have written (the rest is forgotten). For changes of names as {@link
   * #WHOLE}, for a directory sync as {@link #NONE}.
   */
  PARTIAL,
  /** Everything; only the answer is an error. */
  WHOLE
}
