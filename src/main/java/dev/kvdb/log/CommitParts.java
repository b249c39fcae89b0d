package dev.kvdb.log;

/** Decides which records, in the order of the log, make whole commits. Used by one thread. */
final class CommitParts {
  private final boolean dropsUnfinished;
  private long commit;
  private int nextPart;
  private long payloadBytes;

  CommitParts(Rules rules) {
    dropsUnfinished = rules.dropsUnfinished();
  }

  /** What a record is to the parts before it. */
  enum Role {
    /** The first part of a commit; whatever was unfinished before it is dropped. */
    FIRST,
    /** The next part of the commit under way. */
    NEXT,
    /** Neither: dropped, together with whatever was unfinished. */
    STRAY
  }

  /** Takes a record; afterwards {@link #payloadBytes} counts it, unless it is stray. */
  Role add(RecordView record) {
    if (record.partIndex() == 0 && (dropsUnfinished || nextPart == 0)) {
      commit = record.commit;
      nextPart = 0;
      payloadBytes = 0;
    } else if (dropsUnfinished && (record.commit != commit || record.partIndex() != nextPart)) {
      nextPart = 0;
      payloadBytes = 0;
      commit = 0;
      return Role.STRAY;
    }
    payloadBytes += record.payloadBytes;
    Role role = nextPart == 0 ? Role.FIRST : Role.NEXT;
    nextPart = record.isLastPart() ? 0 : nextPart + 1;
    return role;
  }

  /** Bytes of payload of the commit that the record last taken belongs to, up to its end. */
  long payloadBytes() {
    return payloadBytes;
  }
}
