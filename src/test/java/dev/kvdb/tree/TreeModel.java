package dev.kvdb.tree;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.page.PageFormat;
import dev.kvdb.pager.PageReader;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/** A tree and the map it has to equal: every change is made to both, every read compared. */
final class TreeModel {
  /** A root as a reader holds it, and what it has to show. */
  record Snapshot(int root, long birth, int height, TreeMap<byte[], byte[]> content) {}

  private static final int MARGIN = 7;

  final PlainPager pager;
  final TreeWriter writer;
  final TreeMap<byte[], byte[]> map = new TreeMap<>(Arrays::compareUnsigned);
  private final byte[] source = new byte[4096];
  private int margin;

  TreeModel(PlainPager pager) {
    this.pager = pager;
    this.writer = new TreeWriter(pager);
    writer.open(0, 0, 0, 0);
  }

  // ------------------------------------------------------------------ changes

  void put(byte[] key, byte[] value) {
    // Key and value lie somewhere in one array, the value not always behind the key.
    Arrays.fill(source, (byte) 0x5A);
    margin = (margin + 1) % MARGIN;
    boolean valueFirst = margin % 2 == 0;
    int keyAt = valueFirst ? margin + value.length + 3 : margin;
    int valueAt = valueFirst ? margin : margin + key.length + 1;
    System.arraycopy(key, 0, source, keyAt, key.length);
    System.arraycopy(value, 0, source, valueAt, value.length);
    boolean isNew = writer.put(source, keyAt, key.length, valueAt, value.length);
    assertEquals(map.put(key, value) == null, isNew, () -> "put " + hex(key));
    assertEquals(map.size(), writer.count());
  }

  void delete(byte[] key) {
    margin = (margin + 1) % MARGIN;
    System.arraycopy(key, 0, source, margin, key.length);
    boolean was = writer.delete(source, margin, key.length);
    assertEquals(map.remove(key) != null, was, () -> "delete " + hex(key));
    assertEquals(map.size(), writer.count());
  }

  /** Deletes a range; null is no bound. */
  void deleteRange(byte[] from, byte[] to) {
    byte[] fromSource = from == null ? null : shifted(from, 3);
    byte[] toSource = to == null ? null : shifted(to, 5);
    long deleted =
        writer.deleteRange(
            fromSource, 3, from == null ? 0 : from.length, toSource, 5, to == null ? 0 : to.length);
    NavigableMap<byte[], byte[]> part = range(from, to);
    assertEquals(part.size(), deleted, () -> "delete range " + hex(from) + " to " + hex(to));
    part.clear();
    assertEquals(map.size(), writer.count());
  }

  private NavigableMap<byte[], byte[]> range(byte[] from, byte[] to) {
    if (from != null && to != null && Arrays.compareUnsigned(from, to) >= 0) {
      return new TreeMap<>(Arrays::compareUnsigned);
    }
    if (from == null) {
      return to == null ? map : map.headMap(to, false);
    }
    return to == null ? map.tailMap(from, true) : map.subMap(from, true, to, false);
  }

  private static byte[] shifted(byte[] bytes, int offset) {
    byte[] shifted = new byte[bytes.length + offset + 2];
    Arrays.fill(shifted, (byte) 0xA5);
    System.arraycopy(bytes, 0, shifted, offset, bytes.length);
    return shifted;
  }

  void commit() {
    pager.nextCommit();
  }

  Snapshot snapshot() {
    TreeMap<byte[], byte[]> content = new TreeMap<>(Arrays::compareUnsigned);
    content.putAll(map);
    return new Snapshot(writer.rootPage(), writer.rootBirth(), writer.height(), content);
  }

  // ------------------------------------------------------------------ comparisons

  /** Checks every page, the number of entries, and that no page was lost. */
  TreeChecker check() {
    TreeChecker checker = checkRoot(pager, snapshotRoot(), map.size());
    return checker;
  }

  private Snapshot snapshotRoot() {
    return new Snapshot(writer.rootPage(), writer.rootBirth(), writer.height(), map);
  }

  private TreeChecker checkRoot(PageReader reader, Snapshot root, int entries) {
    Set<Integer> reached = new HashSet<>();
    List<String> problems = new ArrayList<>();
    TreeChecker checker =
        new TreeChecker(reader, (page, level) -> reached.add(page), problems::add);
    checker.check(root.root(), root.birth(), root.height(), entries);
    assertEquals(List.of(), problems);
    if (reader == pager) {
      assertEquals(reached.size(), pager.livePages(), "pages that were made and not freed");
    }
    return checker;
  }

  /** Compares all content, by a scan each way and by a lookup of every key. */
  void compareAll() {
    compareScans(pager, snapshotRoot());
    for (Map.Entry<byte[], byte[]> entry : map.entrySet()) {
      assertArrayEquals(entry.getValue(), get(entry.getKey()), () -> hex(entry.getKey()));
    }
  }

  /** A snapshot must still show what it did. */
  void compareSnapshot(Snapshot snapshot) {
    PageReader reader = pager.snapshotReader();
    checkRoot(reader, snapshot, snapshot.content().size());
    compareScans(reader, snapshot);
  }

  private static void compareScans(PageReader reader, Snapshot root) {
    TreeCursor cursor = new TreeCursor(reader, root.root(), root.birth(), root.height());
    for (Map.Entry<byte[], byte[]> entry : root.content().entrySet()) {
      assertTrue(cursor.next());
      requireOn(cursor, entry);
    }
    assertFalse(cursor.next());
    assertFalse(cursor.next());
    for (Map.Entry<byte[], byte[]> entry : root.content().descendingMap().entrySet()) {
      assertTrue(cursor.previous());
      requireOn(cursor, entry);
    }
    assertFalse(cursor.previous());
  }

  static void requireOn(TreeCursor cursor, Map.Entry<byte[], byte[]> entry) {
    byte[] key = Arrays.copyOf(cursor.keyBuffer(), cursor.keyLength());
    assertEquals(hex(entry.getKey()), hex(key));
    assertArrayEquals(entry.getValue(), cursor.copyValue());
  }

  /** Looks a key up in the tree; null if it is not there. */
  byte[] get(byte[] key) {
    if (writer.rootPage() == 0) {
      return null;
    }
    byte[] shifted = shifted(key, 1);
    int token = pager.enter();
    try {
      long value =
          TreeReader.find(
              pager,
              writer.rootPage(),
              writer.rootBirth(),
              writer.height(),
              shifted,
              1,
              key.length);
      if (value < 0) {
        return null;
      }
      byte[] bytes = new byte[(int) value & 0xFFFF];
      MemorySegment.copy(pager.memory(), PageFormat.BYTE, value >>> 16, bytes, 0, bytes.length);
      return bytes;
    } finally {
      pager.exit(token);
    }
  }

  /** Compares a lookup and all four seeks of a key that may be absent. */
  void compareAround(byte[] key) {
    byte[] expected = map.get(key);
    byte[] found = get(key);
    assertTrue(Arrays.equals(expected, found), () -> "lookup of " + hex(key));
    TreeCursor cursor = cursor();
    requireAt(cursor, cursor.seekAtLeast(key), map.ceilingEntry(key), "at least", key);
    requireAt(cursor, cursor.seekAbove(key), map.higherEntry(key), "above", key);
    requireAt(cursor, cursor.seekAtMost(key), map.floorEntry(key), "at most", key);
    requireAt(cursor, cursor.seekBelow(key), map.lowerEntry(key), "below", key);
  }

  private static void requireAt(
      TreeCursor cursor,
      boolean found,
      Map.Entry<byte[], byte[]> expected,
      String how,
      byte[] key) {
    assertEquals(expected != null, found, () -> "seek " + how + " " + hex(key));
    if (found) {
      requireOn(cursor, expected);
    }
  }

  TreeCursor cursor() {
    return new TreeCursor(pager, writer.rootPage(), writer.rootBirth(), writer.height());
  }

  /** Bytes in words for a message, shortened in the middle. */
  static String hex(byte[] bytes) {
    if (bytes == null) {
      return "none";
    }
    String all = HexFormat.of().formatHex(bytes);
    return bytes.length <= 40
        ? all
        : all.substring(0, 16)
            + "..."
            + all.substring(all.length() - 48)
            + " ("
            + bytes.length
            + ")";
  }
}
