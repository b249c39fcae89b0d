package dev.kvdb.engine;

import dev.kvdb.tree.TreeChecker;

/** Measures a table by walking all of its pages. */
final class TableWalk {
  private TableWalk() {}

  static TableDetails measure(Store store, EngineSnapshot snapshot, EngineTable table) {
    snapshot.requireOpen();
    RootEntry root = table.rootAt(snapshot.commitNumber());
    String name = table.name();
    TreeChecker walk =
        new TreeChecker(
            store.pager,
            (page, level) -> true,
            problem -> {
              throw new EngineException(
                  EngineException.Kind.CORRUPT,
                  store.path() + ": table " + name + ": " + problem + " (run verify)",
                  null);
            });
    if (root == null) {
      return new TableDetails(name, 0, 0, 0, 0, 0, 0, 0);
    }
    walk.check(root.page, root.birth, root.height, root.count, root.openLeaf, root.openEntries);
    return new TableDetails(
        name,
        root.count,
        root.height,
        walk.leaves(),
        walk.branches(),
        walk.keyBytes(),
        walk.valueBytes(),
        walk.fill());
  }
}
