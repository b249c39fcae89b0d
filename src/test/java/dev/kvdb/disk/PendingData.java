package dev.kvdb.disk;

/**
 * A change of a file's bytes or length that a power cut may still take, wholly or in part: its
 * bytes and the length it gave the file are two things, and either may survive without the other.
 */
final class PendingData {
  final long sequence;
  final Operation operation;

  /** Flushed, but queued behind an older change that never will be. */
  boolean durable;

  /** A flush of it failed: the kernel took it for clean, so no later flush writes it. */
  boolean abandoned;

  /** A mapped store that was handed over to the drive. */
  boolean handedOver;

  PendingData(long sequence, Operation operation) {
    this.sequence = sequence;
    this.operation = operation;
  }

  PendingData copy() {
    PendingData copy = new PendingData(sequence, operation);
    copy.durable = durable;
    copy.abandoned = abandoned;
    copy.handedOver = handedOver;
    return copy;
  }

  /** Does to a file all that this change does. */
  void applyTo(FileContent content) {
    applySize(content);
    if (operation.data() != null) {
      content.write(operation.offset(), operation.data(), 0, operation.data().length);
    }
  }

  boolean changesSize() {
    return operation.sizeAfter() >= 0;
  }

  /**
   * Gives the file the length it has after this change. Only a truncation clears what lies behind
   * the new end: where one is lost and a later extension is kept, the old bytes show.
   */
  void applySize(FileContent content) {
    if (!changesSize()) {
      return;
    }
    if (operation.kind() == Kind.TRUNCATE) {
      content.truncate(operation.sizeAfter());
    } else {
      content.setSize(operation.sizeAfter());
    }
  }
}
