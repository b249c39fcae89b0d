package dev.kvdb.engine.process;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.engine.CommitLevel;
import dev.kvdb.engine.Engine;
import dev.kvdb.engine.EngineException;
import dev.kvdb.engine.EngineException.Kind;
import dev.kvdb.engine.EngineOptions;
import dev.kvdb.engine.EngineTable;
import dev.kvdb.nativecalls.NativeCalls;
import dev.kvdb.pager.Failpoint;
import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Opening for reading only, who excludes whom, and the names a database is found by. */
@Timeout(120)
class ReadOnlyTest {
  private static final EngineOptions WRITE =
      EngineOptions.defaults().withAddressSpaceBytes(1L << 30);
  private static final EngineOptions READ = WRITE.withReadOnly(true);

  @TempDir Path directory;

  private Path path() {
    return directory.resolve("database");
  }

  private static Engine open(Path path, EngineOptions options) {
    return Engine.open(path, options, NativeCalls.system());
  }

  private void create() {
    try (Engine engine = open(path(), WRITE)) {
      EngineTable table = engine.createTable("t");
      for (int i = 0; i < 100; i++) {
        engine.put(table, FaultChild.key(i), FaultChild.value(i), CommitLevel.NONE);
      }
    }
  }

  private static EngineException refused(Path path, EngineOptions options) {
    return assertThrows(EngineException.class, () -> open(path, options).close());
  }

  /** Content, length and times of every file of the directory. */
  private Map<String, String> everything() throws IOException, NoSuchAlgorithmException {
    Map<String, String> files = new TreeMap<>();
    try (Stream<Path> list = Files.list(directory)) {
      for (Path file : list.filter(f -> !f.toString().endsWith(".err")).toList()) {
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
        FileTime modified = Files.getLastModifiedTime(file);
        Object changed = Files.getAttribute(file, "unix:ctime");
        files.put(
            file.getFileName().toString(),
            HexFormat.of().formatHex(hash) + " " + modified + " " + changed);
      }
    }
    return files;
  }

  private WriterHistory crash(CommitLevel level, int commits) throws Exception {
    WriterHistory history = new WriterHistory(99, 2);
    try (ChildJvm child =
        ChildJvm.start(
            directory,
            List.of("-Dkvdb.failpoint=commit.appended:" + commits),
            WriterChild.class,
            history.arguments(path().toString(), level.name(), commits))) {
      history.readAll(new DataInputStream(child.output()));
      assertEquals(Failpoint.EXIT_STATUS, child.await(), child.errors());
    }
    return history;
  }

  private ChildJvm hold(String mode) {
    return ChildJvm.start(directory, List.of(), HolderChild.class, path().toString(), mode);
  }

  private static String firstLine(ChildJvm child) throws IOException {
    return new BufferedReader(new InputStreamReader(child.output())).readLine();
  }

  @Test
  void showsAllCommitsOfAnUnreplayedLogAndChangesNothing() throws Exception {
    for (CommitLevel level : List.of(CommitLevel.NONE, CommitLevel.FSYNC)) {
      WriterHistory history = crash(level, 300);
      Map<String, String> before = everything();
      assertTrue(before.size() > 1, "there is a log");
      try (Engine engine = open(path(), READ)) {
        assertTrue(engine.replayedCommits() > 0);
        assertTrue(engine.isReadOnly());
        history.check(engine);
        EngineTable table = engine.findTable("table0");
        assertEquals(Kind.READ_ONLY, kindOf(() -> engine.put(table, new byte[1], table(), null)));
        assertEquals(Kind.READ_ONLY, kindOf(() -> engine.delete(table, new byte[1], null)));
        assertEquals(Kind.READ_ONLY, kindOf(() -> engine.createTable("new")));
        assertEquals(Kind.READ_ONLY, kindOf(() -> engine.dropTable("table0")));
        assertEquals(Kind.READ_ONLY, kindOf(engine::checkpoint));
        try (ChildJvm other = hold("read")) {
          assertTrue(firstLine(other).startsWith("entries "), other.errors());
          other.endInput();
          assertEquals(0, other.await(), other.errors());
        }
      }
      assertEquals(before, everything());
      try (Engine engine = open(path(), WRITE)) {
        history.check(engine);
      }
      Files.delete(path());
    }
  }

  private static byte[] table() {
    return new byte[] {1};
  }

  private static Kind kindOf(Runnable action) {
    return assertThrows(EngineException.class, action::run).kind();
  }

  @Test
  void aPoolTooSmallForTheLogIsALimitAndNoDamage() throws Exception {
    Path original = Files.createDirectory(directory.resolve("original")).resolve("database");
    int entries = 20_000;
    try (Engine engine = open(original, WRITE.withCommitLevel(CommitLevel.NONE))) {
      EngineTable table = engine.createTable("t");
      for (int i = 0; i < entries; i++) {
        engine.put(table, FaultChild.key(i), FaultChild.value(i), null);
      }
      // As a killed process leaves them: nothing has been checkpointed.
      assertEquals(0, engine.stats().checkpoints());
      Files.copy(original, path());
      Files.copy(original.resolveSibling("database-wal-0"), directory.resolve("database-wal-0"));
    }
    Files.delete(original);
    Files.delete(original.getParent());
    Map<String, String> before = everything();
    EngineException refused = refused(path(), READ.withPoolBytes(1));
    assertEquals(Kind.LIMIT, refused.kind());
    assertTrue(refused.getMessage().contains("once for writing"), refused.getMessage());
    assertEquals(before, everything());
    for (EngineOptions options : List.of(READ, WRITE.withPoolBytes(1), READ.withPoolBytes(1))) {
      try (Engine engine = open(path(), options)) {
        EngineTable table = engine.findTable("t");
        assertEquals(entries, engine.count(table));
        assertArrayEquals(FaultChild.value(777), engine.get(table, FaultChild.key(777)));
        assertEquals(List.of(), engine.verify().problems());
      }
    }
  }

  @Test
  void readersShareAndExcludeAWriter() throws Exception {
    create();
    try (ChildJvm reader = hold("read")) {
      assertEquals("entries 100", firstLine(reader), reader.errors());
      EngineException locked = refused(path(), WRITE);
      assertEquals(Kind.LOCKED, locked.kind());
      assertTrue(locked.getMessage().contains("process " + reader.pid()), locked.getMessage());
      assertTrue(locked.getMessage().contains(path().toString()), locked.getMessage());
      try (Engine engine = open(path(), READ);
          Engine second = open(path(), READ)) {
        assertEquals(100, engine.count(engine.findTable("t")));
        assertEquals(100, second.count(second.findTable("t")));
        assertEquals(Kind.LOCKED, refused(path(), WRITE).kind());
      }
      reader.endInput();
      assertEquals(0, reader.await());
    }
    open(path(), WRITE).close();
  }

  @Test
  void aWriterExcludesEverybody() throws Exception {
    create();
    try (ChildJvm writer = hold("write")) {
      assertEquals("entries 100", firstLine(writer), writer.errors());
      for (EngineOptions options : List.of(READ, WRITE)) {
        EngineException locked = refused(path(), options);
        assertEquals(Kind.LOCKED, locked.kind());
        assertTrue(locked.getMessage().contains("process " + writer.pid()), locked.getMessage());
      }
      writer.kill();
      writer.await();
    }
    // The lock dies with its owner.
    try (Engine engine = open(path(), WRITE)) {
      assertEquals(Kind.LOCKED, refused(path(), WRITE).kind());
      assertEquals(Kind.LOCKED, refused(path(), READ).kind());
      try (ChildJvm other = hold("read")) {
        String line = firstLine(other);
        assertTrue(line.startsWith("LOCKED ") && line.contains("" + pid()), line);
        assertEquals(HolderChild.REFUSED_STATUS, other.await());
      }
      assertEquals(100, engine.count(engine.findTable("t")));
    }
  }

  private static long pid() {
    return ProcessHandle.current().pid();
  }

  @Test
  void aMissingDatabaseIsNotMade() throws Exception {
    assertEquals(Kind.NOT_FOUND, refused(path(), READ).kind());
    assertEquals(Kind.NOT_FOUND, refused(path(), WRITE.withCreate(false)).kind());
    assertEquals(Kind.NOT_FOUND, refused(directory.resolve("no/folder"), WRITE).kind());
    Files.createSymbolicLink(directory.resolve("dangling"), directory.resolve("nowhere"));
    assertEquals(Kind.NOT_FOUND, refused(directory.resolve("dangling"), WRITE).kind());
    Files.delete(directory.resolve("dangling"));
    assertEquals(Map.of(), everything());
    assertEquals(Kind.UNSUPPORTED, refused(directory, READ).kind());
  }

  @Test
  void aSecondHardLinkIsRefused() throws Exception {
    create();
    Path link = directory.resolve("link");
    Files.createLink(link, path());
    for (Path name : List.of(link, path())) {
      for (EngineOptions options : List.of(READ, WRITE)) {
        EngineException refused = refused(name, options);
        assertEquals(Kind.UNSUPPORTED, refused.kind());
        assertTrue(refused.getMessage().contains("hard link"), refused.getMessage());
      }
    }
    Files.delete(link);
    open(path(), WRITE).close();
  }

  @Test
  void aSymbolicLinkLeadsToTheSameDatabaseAndLog() throws Exception {
    WriterHistory history = crash(CommitLevel.NONE, 300);
    Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
    Path link = Files.createSymbolicLink(elsewhere.resolve("link"), path());
    try (Engine engine = open(link, WRITE)) {
      assertEquals(path().toRealPath(), engine.file());
      assertTrue(engine.replayedCommits() > 0);
      history.check(engine);
      engine.put(engine.findTable("table0"), new byte[10], new byte[1], null);
      assertEquals(Kind.LOCKED, refused(path(), WRITE).kind());
    }
    try (Stream<Path> files = Files.list(elsewhere)) {
      assertEquals(List.of(link), files.toList());
    }
  }

  @Test
  void aRelativePathIsTheSameDatabase() throws Exception {
    create();
    Path relative = Path.of("").toAbsolutePath().relativize(path().toRealPath());
    assertFalse(relative.isAbsolute());
    try (Engine engine = open(relative, WRITE)) {
      assertEquals(path().toRealPath(), engine.file());
      assertEquals(100, engine.count(engine.findTable("t")));
      engine.put(engine.findTable("t"), new byte[3], new byte[3], null);
    }
    try (Engine engine = open(path().resolve("../" + path().getFileName()), READ)) {
      assertEquals(101, engine.count(engine.findTable("t")));
    }
    Path bare = Path.of("kvdb-bare-name-" + pid());
    try {
      try (Engine engine = open(bare, WRITE)) {
        engine.createTable("t");
      }
      assertTrue(Files.exists(bare));
    } finally {
      Files.deleteIfExists(bare);
    }
  }
}
