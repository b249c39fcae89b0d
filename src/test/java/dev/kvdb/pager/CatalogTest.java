package dev.kvdb.pager;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.nativecalls.NativeCalls;
import dev.kvdb.page.CorruptPageException;
import dev.kvdb.page.PageChecksum;
import dev.kvdb.page.PageFormat;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CatalogTest {
  private static final long NUMBER = 77;

  @TempDir Path directory;
  private final NativeCalls calls = NativeCalls.system();
  private final Random random = new Random(95);
  private Path path;
  private int descriptor;
  private PageFile file;

  @BeforeEach
  void open() {
    path = directory.resolve("pages");
    descriptor = calls.open(path, NativeCalls.OpenMode.CREATE);
    file = new PageFile(calls, descriptor);
  }

  @AfterEach
  void close() {
    calls.close(descriptor);
  }

  private List<Catalog.Table> tables(int count) {
    List<Catalog.Table> tables = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String name = "t" + i + "äß漢🂡".repeat(random.nextInt(20));
      tables.add(
          new Catalog.Table(
              random.nextInt(),
              name,
              random.nextInt() & 0x7FFFFFFF,
              random.nextLong(),
              random.nextInt(33),
              random.nextLong()));
    }
    return tables;
  }

  private List<SpaceMap.Listed> regions(int count) {
    List<SpaceMap.Listed> regions = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      regions.add(new SpaceMap.Listed(random.nextLong(), random.nextInt(32_512)));
    }
    return regions;
  }

  /** Page numbers in no order, as an allocator may give them. */
  private int[] pageNumbers(int count) {
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      numbers.add(3 + i);
    }
    Collections.shuffle(numbers, random);
    return numbers.stream().mapToInt(Integer::intValue).toArray();
  }

  private void write(int page, byte[] bytes) throws IOException {
    ByteBuffer.wrap(bytes)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(PageFormat.CHECKSUM, new PageChecksum().compute(page, bytes));
    try (RandomAccessFile f = new RandomAccessFile(path.toFile(), "rw")) {
      f.seek((long) page * PageFormat.PAGE_BYTES);
      f.write(bytes);
    }
  }

  private List<byte[]> writeAll(Catalog catalog) throws IOException {
    List<byte[]> encoded = catalog.encode(NUMBER);
    for (int i = 0; i < encoded.size(); i++) {
      write(catalog.pages()[i], encoded.get(i));
    }
    return encoded;
  }

  @ParameterizedTest(name = "{0} regions, {1} tables, {2} pages more than needed")
  @CsvSource({
    "1, 0, 0",
    "1, 1, 0",
    "3, 40, 0",
    "200, 5000, 0",
    "1, 3000, 1",
    "1, 0, 2",
    "337, 0, 0"
  })
  void whatIsWrittenComesBack(int regionCount, int tableCount, int more) throws IOException {
    List<SpaceMap.Listed> regions = regions(regionCount);
    List<Catalog.Table> tables = tables(tableCount);
    int[] pages = pageNumbers(Catalog.pagesNeeded(regionCount, tables) + more);
    Catalog catalog = new Catalog(regions, tables, pages);
    assertEquals(pages.length, writeAll(catalog).size());
    Catalog read = Catalog.read(file, pages[0], NUMBER);
    assertEquals(regions, read.regions());
    assertEquals(tables, read.tables());
    assertArrayEquals(pages, read.pages());
  }

  @Test
  void noPageIsAnEmptyCatalog() {
    Catalog read = Catalog.read(file, 0, 0);
    assertTrue(read.regions().isEmpty() && read.tables().isEmpty() && read.pages().length == 0);
  }

  @Test
  void pagesNeededIsExactAtTheBoundary() throws IOException {
    // Names that fill the last page to the byte, one less and one more.
    int free = FileFormat.CATALOG_CONTENT_BYTES - 4 - 12 - 4 - 28;
    for (int length : new int[] {free - 1, free, free + 1}) {
      List<Catalog.Table> tables = List.of(new Catalog.Table(1, "n".repeat(length), 0, 0, 0, 0));
      int needed = Catalog.pagesNeeded(1, tables);
      assertEquals(length > free ? 2 : 1, needed);
      int[] pages = pageNumbers(needed);
      writeAll(new Catalog(regions(1), tables, pages));
      assertEquals(tables, Catalog.read(file, pages[0], NUMBER).tables());
    }
  }

  @Test
  void damageIsNoticed() throws IOException {
    List<Catalog.Table> tables = tables(400);
    int[] pages = pageNumbers(Catalog.pagesNeeded(2, tables));
    List<byte[]> encoded = writeAll(new Catalog(regions(2), tables, pages));
    assertTrue(pages.length >= 4);
    int second = pages[1];
    // A chain that goes round in a circle, each page with a right checksum.
    requireCorrupt(pages, second, encoded.get(1), FileFormat.CATALOG_NEXT_PAGE, pages[0]);
    requireCorrupt(pages, second, encoded.get(1), FileFormat.CATALOG_NEXT_PAGE, second);
    requireCorrupt(pages, second, encoded.get(1), FileFormat.CATALOG_NEXT_PAGE, 1 << 20);
    requireCorrupt(pages, second, encoded.get(1), FileFormat.CATALOG_NEXT_PAGE, -1);
    // A chain that ends too soon, and one that skips a page.
    requireCorrupt(pages, second, encoded.get(1), FileFormat.CATALOG_NEXT_PAGE, 0);
    requireCorrupt(pages, second, encoded.get(1), FileFormat.CATALOG_USED_BYTES, -1);
    requireCorrupt(pages, second, encoded.get(1), FileFormat.CATALOG_USED_BYTES, 4049);
    requireCorrupt(pages, second, encoded.get(1), FileFormat.CATALOG_NEXT_BIRTH, 5);
    requireCorrupt(pages, second, encoded.get(1), PageFormat.BIRTH, 5);
    requireCorrupt(pages, second, encoded.get(1), PageFormat.TYPE, PageFormat.TYPE_LEAF);
    assertThrows(CorruptPageException.class, () -> Catalog.read(file, pages[0], NUMBER + 1));
    assertEquals(tables, Catalog.read(file, pages[0], NUMBER).tables());
  }

  private void requireCorrupt(int[] pages, int page, byte[] bytes, int field, int value)
      throws IOException {
    byte[] damaged = bytes.clone();
    ByteBuffer.wrap(damaged).order(ByteOrder.LITTLE_ENDIAN).putInt(field, value);
    write(page, damaged);
    assertThrows(
        CorruptPageException.class,
        () -> Catalog.read(file, pages[0], NUMBER),
        "field " + field + " = " + value);
    write(page, bytes);
  }
}
