package dev.kvdb.engine;

import dev.kvdb.pager.Pager;
import dev.kvdb.tree.TreeChecker;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Checks a whole state of a database: every page of every table, and the space map against them.
 */
final class Verifier {
  /** More problems than this are counted, not told. */
  private static final int PROBLEMS_MAX = 1000;

  private final Pager pager;
  private final Tables tables;
  private final List<String> problems = new ArrayList<>();
  private final BitSet reached = new BitSet();
  private long pagesChecked;
  private long entriesChecked;

  Verifier(Pager pager, Tables tables) {
    this.pager = pager;
    this.tables = tables;
  }

  /**
   * Checks the applied state of an open database. Commits go on meanwhile: the state is held like a
   * snapshot, and the map copied, at one moment under the commit lock.
   *
   * @param whileFileIsStill runs something while no checkpoint is under way and the file stays open
   */
  static VerifyResult verify(Store store, Consumer<Runnable> whileFileIsStill) {
    Verifier verifier = new Verifier(store.pager, store.tables);
    whileFileIsStill.accept(() -> verifier.checkDurable(store));
    long number;
    List<long[]> map;
    int[] catalog;
    store.commitLock.lock();
    try {
      store.requireOpen();
      number = store.appliedNumber;
      store.tables.closeOpenLeaves();
      map = store.pager.reachedPages();
      catalog = store.pager.catalogPageNumbers();
      store.pager.snapshots().register(number);
    } finally {
      store.commitLock.unlock();
    }
    try {
      verifier.verify(number);
      verifier.checkMap(map, catalog);
      return verifier.result();
    } finally {
      store.pager.snapshots().release(number);
    }
  }

  /**
   * Checks what the next open would begin with, as it lies on the disk. Once writing has ended
   * nobody knows what that has to be (I-14): a meta whose write failed may lie there, whole or
   * torn.
   */
  private void checkDurable(Store store) {
    if (store.failure() == null) {
      store.checkpointWriter.durableProblems().forEach(this::report);
    }
  }

  /** Checks the tables as of a number, and the map against them. Nothing is changed meanwhile. */
  VerifyResult verifyWithMap(long number) {
    verify(number);
    checkMap(pager.reachedPages(), pager.catalogPageNumbers());
    return result();
  }

  /** Checks the tables as of a number. */
  VerifyResult verify(long number) {
    for (Map.Entry<String, EngineTable> named : tables.namedAt(number).entrySet()) {
      String name = named.getKey();
      RootEntry root = named.getValue().rootAt(number);
      TreeChecker checker =
          new TreeChecker(pager, this::reach, problem -> report("table " + name + ": " + problem));
      checker.check(
          root.page, root.birth, root.height, root.count, root.openLeaf, root.openEntries);
      entriesChecked += checker.entries();
    }
    return result();
  }

  private boolean reach(int page, int level) {
    pagesChecked++;
    if (page < 0 || reached.get(page)) {
      return false;
    }
    reached.set(page);
    return true;
  }

  private void checkMap(List<long[]> map, int[] catalog) {
    for (int page : catalog) {
      reached.set(page);
    }
    int page = 0;
    for (long[] region : map) {
      for (int word = 0; word < region.length; word++) {
        for (int bit = 0; bit < Long.SIZE; bit++, page++) {
          boolean marked = (region[word] & 1L << bit) != 0;
          if (marked != (reached.get(page) || Pager.isFixedPage(page))) {
            report(
                "page "
                    + page
                    + (marked
                        ? ": marked as used, but nothing reaches it"
                        : ": reached, but marked as free"));
          }
        }
      }
    }
    for (int beyond = reached.nextSetBit(page);
        beyond >= 0;
        beyond = reached.nextSetBit(beyond + 1)) {
      report("page " + beyond + ": reached, but the space map does not cover it");
    }
  }

  private void report(String problem) {
    if (problems.size() < PROBLEMS_MAX) {
      problems.add(problem);
    } else if (problems.size() == PROBLEMS_MAX) {
      problems.add("there are more problems than are listed here");
    }
  }

  private VerifyResult result() {
    return new VerifyResult(pagesChecked, entriesChecked, List.copyOf(problems));
  }
}
