package dev.kvdb;

import dev.kvdb.engine.VerifyResult;
import java.util.List;

/** What {@link Database#verify()} found. Immutable. */
public final class VerifyReport {
  private final VerifyResult result;

  VerifyReport(VerifyResult result) {
    this.result = result;
  }

  /** Whether nothing is wrong. */
  public boolean isClean() {
    return problems().isEmpty();
  }

  /** How many pages were checked. */
  public long pagesChecked() {
    return result.pagesChecked();
  }

  /** How many entries were checked. */
  public long entriesChecked() {
    return result.entriesChecked();
  }

  /** Everything that is wrong, one sentence each, naming page and table; empty if nothing is. */
  public List<String> problems() {
    return List.copyOf(result.problems());
  }

  @Override
  public String toString() {
    return "VerifyReport["
        + pagesChecked()
        + " pages, "
        + entriesChecked()
        + " entries, "
        + problems().size()
        + " problems]";
  }
}
