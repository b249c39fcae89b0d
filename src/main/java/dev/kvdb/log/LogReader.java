package dev.kvdb.log;

import dev.kvdb.log.LogDirectory.Slot;
import dev.kvdb.log.LogDirectory.SlotName;
import dev.kvdb.nativecalls.NativeCalls;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a log from the place that a meta page names. The first pass, {@link #verify()}, finds out
 * what can be trusted and hands out nothing; the second, {@link #forEachCommit}, replays it.
 * Neither changes a byte. Used by one thread, while nobody writes the log.
 */
public final class LogReader {
  /** A stretch of trusted records in one slot. */
  private record Span(Slot slot, long from, long to) {}

  private final NativeCalls calls;
  private final LogPosition start;
  private final Rules rules;
  private final List<Slot> chain;
  private final List<SlotName> otherFiles = new ArrayList<>();
  private final List<Span> spans = new ArrayList<>();
  private LogSummary summary;
  private long commitBytesMax;

  private LogReader(NativeCalls calls, LogDirectory directory, LogPosition start, Rules rules) {
    this.calls = calls;
    this.start = start;
    this.rules = rules;
    this.chain =
        directory.slots().stream().filter(slot -> slot.number() >= start.slotNumber()).toList();
    otherFiles.addAll(directory.foreignFiles());
    otherFiles.addAll(directory.unusedFiles());
  }

  /**
   * Reads the whole log and finds its end; see {@link #open(NativeCalls, LogDirectory, LogPosition,
   * Rules)}.
   */
  public static LogReader open(NativeCalls calls, LogDirectory directory, LogPosition start) {
    return open(calls, directory, start, Rules.STRICT);
  }

  /**
   * Reads the whole log and finds its end.
   *
   * @param start where the log begins, as the meta page has it
   * @param rules which rules to hold to; anything but {@link Rules#STRICT} is for tests of tests
   * @throws LogMissingException if the start slot is not there or has another salt
   * @throws LogDamagedException if records are missing that a record behind them says were durable,
   *     a file without a good header continues the log, or two files carry the same slot number
   * @throws dev.kvdb.nativecalls.NativeCallException if a file cannot be read
   */
  public static LogReader open(
      NativeCalls calls, LogDirectory directory, LogPosition start, Rules rules) {
    LogReader reader = new LogReader(calls, directory, start, rules);
    reader.verify();
    return reader;
  }

  private void verify() {
    requireStartSlot();
    long slotBytesMax = chain.stream().mapToLong(Slot::slotBytes).max().orElseThrow();
    try (SlotWindow window = new SlotWindow(calls, slotBytesMax)) {
      FirstPass pass = new FirstPass(window);
      pass.run();
      new DamageSearch(window, pass.record, chain, pass.slotIndex, pass.offset, pass.expectedLsn)
          .run();
      summary = pass.summary();
      new LostSlotSearch(calls, window).run(otherFiles, summary.end());
    }
  }

  /** What was found. */
  public LogSummary summary() {
    return summary;
  }

  /**
   * Hands out the whole commits in the order of the log. The checksums are not computed again.
   *
   * @throws LogDamagedException if the log was changed since it was opened, or a commit is longer
   *     than an array can be
   */
  public void forEachCommit(CommitVisitor visitor) {
    if (summary.records() == 0) {
      return;
    }
    long slotBytesMax = spans.stream().mapToLong(span -> span.slot.slotBytes()).max().orElseThrow();
    try (SlotWindow window = new SlotWindow(calls, slotBytesMax)) {
      new SecondPass(window, visitor).run();
    }
  }

  private void requireStartSlot() {
    for (int i = 1; i < chain.size(); i++) {
      if (chain.get(i).number() == chain.get(i - 1).number()) {
        throw new LogDamagedException(
            chain.get(i).name().path(),
            LogFormat.HEADER_SLOT_NUMBER,
            "carries the same slot number "
                + chain.get(i).number()
                + " as "
                + chain.get(i - 1).name().path()
                + "; one is a copy: move it elsewhere");
      }
    }
    String needed = "replay starts in log slot " + start.slotNumber();
    if (chain.isEmpty() || chain.getFirst().number() != start.slotNumber()) {
      throw new LogMissingException(
          needed + ", but no file of the log carries that number; put the file back");
    }
    if (chain.getFirst().salt() != start.slotSalt()) {
      throw new LogMissingException(
          needed
              + ", but "
              + chain.getFirst().name().path()
              + ", which carries that number, is another slot; put the right file back");
    }
  }

  /** Whether slot numbers run without a gap from the start slot to the highest found. */
  private boolean isUnbroken() {
    return chain.getLast().number() - start.slotNumber() == chain.size() - 1;
  }

  /** Follows the chain as far as it can be trusted. */
  private final class FirstPass {
    final SlotWindow window;
    final RecordView record;
    final CommitParts parts = new CommitParts(rules);
    int slotIndex;
    long offset = start.offset();
    long expectedLsn = start.nextLsn();
    int expectedChain = start.chain();
    long durableLsn = start.nextLsn() - 1;
    long nextCommit;
    long records;
    long commits;

    FirstPass(SlotWindow window) {
      this.window = window;
      this.record = new RecordView(window);
    }

    void run() {
      window.enter(chain.getFirst());
      long spanStart = offset;
      while (true) {
        while (isTrusted(offset)) {
          take();
        }
        if (offset > spanStart) {
          spans.add(new Span(window.slot(), spanStart, offset));
        }
        if (!enterNextSlot()) {
          return;
        }
        spanStart = offset;
      }
    }

    private boolean isTrusted(long at) {
      return record.read(at)
          && record.lsn == expectedLsn
          && (record.previous == expectedChain || !rules.checksPredecessor())
          && record.isSound();
    }

    private void take() {
      offset += record.bytes();
      expectedLsn++;
      expectedChain = record.checksum;
      durableLsn = Math.max(durableLsn, record.durableLsn);
      nextCommit = Math.max(nextCommit, record.commit + 1);
      records++;
      if (parts.add(record) != CommitParts.Role.STRAY && record.isLastPart()) {
        commits++;
        commitBytesMax = Math.max(commitBytesMax, parts.payloadBytes());
      }
    }

    /** Goes on to the next slot if it carries the chain on; stays where it is otherwise. */
    private boolean enterNextSlot() {
      int next = slotIndex + 1;
      if (next == chain.size() || chain.get(next).number() != chain.get(slotIndex).number() + 1) {
        return false;
      }
      window.enter(chain.get(next));
      if (!isTrusted(LogFormat.HEADER_BLOCK_BYTES)) {
        return false;
      }
      slotIndex = next;
      offset = LogFormat.HEADER_BLOCK_BYTES;
      return true;
    }

    LogSummary summary() {
      Slot last = chain.get(slotIndex);
      return new LogSummary(
          expectedLsn - 1,
          nextCommit,
          records,
          commits,
          durableLsn,
          new LogPosition(last.number(), last.salt(), offset, expectedLsn, expectedChain),
          isUnbroken());
    }
  }

  /** Walks the trusted stretches and hands out the commits. */
  private final class SecondPass {
    private final SlotWindow window;
    private final RecordView record;
    private final CommitVisitor visitor;
    private final CommitParts parts = new CommitParts(rules);
    private byte[] assembled = new byte[0];

    SecondPass(SlotWindow window, CommitVisitor visitor) {
      this.window = window;
      this.record = new RecordView(window);
      this.visitor = visitor;
    }

    void run() {
      long expectedLsn = start.nextLsn();
      for (Span span : spans) {
        window.enter(span.slot);
        long offset = span.from;
        while (offset < span.to) {
          if (!record.read(offset) || record.lsn != expectedLsn) {
            throw new LogDamagedException(
                span.slot.name().path(), offset, "the log was changed while it was read");
          }
          hand(span, offset);
          offset += record.bytes();
          expectedLsn++;
        }
      }
    }

    private void hand(Span span, long offset) {
      CommitParts.Role role = parts.add(record);
      if (role == CommitParts.Role.STRAY) {
        return;
      }
      if (role == CommitParts.Role.FIRST && record.isLastPart()) {
        visitor.visit(record.commit, window.bytes(), record.payloadIndex(), record.payloadBytes);
        return;
      }
      if (parts.payloadBytes() > commitBytesMax) {
        return; // A commit that no last part ends, larger than any whole one.
      }
      assemble(span, offset);
      if (record.isLastPart()) {
        visitor.visit(record.commit, assembled, 0, (int) parts.payloadBytes());
      }
    }

    private void assemble(Span span, long offset) {
      if (commitBytesMax > Integer.MAX_VALUE - Long.BYTES) {
        throw new LogDamagedException(
            span.slot.name().path(), offset, "a commit of " + commitBytesMax + " bytes");
      }
      if (assembled.length < commitBytesMax) {
        assembled = new byte[(int) commitBytesMax];
      }
      int end = (int) parts.payloadBytes();
      System.arraycopy(
          window.bytes(),
          record.payloadIndex(),
          assembled,
          end - record.payloadBytes,
          record.payloadBytes);
    }
  }
}
