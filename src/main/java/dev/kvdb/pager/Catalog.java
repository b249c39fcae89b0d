package dev.kvdb.pager;

import dev.kvdb.page.CorruptPageException;
import dev.kvdb.page.PageFormat;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What a checkpoint writes down beside the trees: the regions and the tables. A chain of pages,
 * written anew by every checkpoint.
 *
 * @param regions the regions that hold anything, in order
 * @param tables the tables, in any order
 * @param pages the numbers of the catalog's own pages, first to last
 */
public record Catalog(List<SpaceMap.Listed> regions, List<Table> tables, int[] pages) {
  /**
   * A table as the catalog lists it.
   *
   * @param id its id, never used for another table
   * @param name its name
   * @param rootPage the page of its root, 0 if it is empty
   * @param rootBirth the number that page bears
   * @param height levels of its tree, 0 if it is empty
   * @param count its entries
   */
  public record Table(int id, String name, int rootPage, long rootBirth, int height, long count) {}

  private static final int REGION_BYTES = Long.BYTES + Integer.BYTES;
  private static final int TABLE_BYTES = 4 + 4 + 8 + 2 + 8 + 2;

  /** How many pages the catalog of so many regions and these tables takes. */
  static int pagesNeeded(int regions, List<Table> tables) {
    long bytes = Integer.BYTES + (long) regions * REGION_BYTES + Integer.BYTES;
    for (Table table : tables) {
      bytes += TABLE_BYTES + table.name().getBytes(StandardCharsets.UTF_8).length;
    }
    return (int)
        ((bytes + FileFormat.CATALOG_CONTENT_BYTES - 1) / FileFormat.CATALOG_CONTENT_BYTES);
  }

  /** The pages as they are written, each without its checksum, in the order of {@link #pages}. */
  List<byte[]> encode(long number) {
    byte[] content = encodeContent();
    List<byte[]> encoded = new ArrayList<>();
    for (int i = 0; i < pages.length; i++) {
      byte[] page = new byte[PageFormat.PAGE_BYTES];
      ByteBuffer b = ByteBuffer.wrap(page).order(ByteOrder.LITTLE_ENDIAN);
      int from = i * FileFormat.CATALOG_CONTENT_BYTES;
      int length = Math.clamp(content.length - from, 0, FileFormat.CATALOG_CONTENT_BYTES);
      boolean isLast = i == pages.length - 1;
      b.put(PageFormat.TYPE, (byte) PageFormat.TYPE_CATALOG);
      b.putLong(PageFormat.BIRTH, number);
      b.putInt(FileFormat.CATALOG_NEXT_PAGE, isLast ? 0 : pages[i + 1]);
      b.putInt(FileFormat.CATALOG_USED_BYTES, length);
      b.putLong(FileFormat.CATALOG_NEXT_BIRTH, isLast ? 0 : number);
      if (length > 0) {
        b.put(FileFormat.CATALOG_CONTENT, content, from, length);
      }
      encoded.add(page);
    }
    return encoded;
  }

  private byte[] encodeContent() {
    ByteBuffer b =
        ByteBuffer.allocate(pages.length * FileFormat.CATALOG_CONTENT_BYTES)
            .order(ByteOrder.LITTLE_ENDIAN);
    b.putInt(regions.size());
    for (SpaceMap.Listed region : regions) {
      b.putLong(region.stamp()).putInt(region.markedCount());
    }
    b.putInt(tables.size());
    for (Table table : tables) {
      byte[] name = table.name().getBytes(StandardCharsets.UTF_8);
      b.putInt(table.id()).putInt(table.rootPage()).putLong(table.rootBirth());
      b.putShort((short) table.height()).putLong(table.count());
      b.putShort((short) name.length).put(name);
    }
    byte[] content = new byte[b.position()];
    b.get(0, content);
    return content;
  }

  /** Reads the catalog that a meta names. */
  public static Catalog read(PageFile file, int firstPage, long firstBirth) {
    if (firstPage == 0) {
      return new Catalog(List.of(), List.of(), new int[0]);
    }
    List<byte[]> contents = new ArrayList<>();
    List<Integer> numbers = new ArrayList<>();
    int total = 0;
    int page = firstPage;
    long birth = firstBirth;
    while (page != 0) {
      byte[] bytes = file.readChecked(page, PageFormat.TYPE_CATALOG, birth);
      ByteBuffer b = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
      int used = b.getInt(FileFormat.CATALOG_USED_BYTES);
      if (used < 0 || used > FileFormat.CATALOG_CONTENT_BYTES || numbers.contains(page)) {
        throw new CorruptPageException(page, "the chain of catalog pages is broken here");
      }
      byte[] content = new byte[used];
      b.get(FileFormat.CATALOG_CONTENT, content);
      contents.add(content);
      numbers.add(page);
      total += used;
      page = b.getInt(FileFormat.CATALOG_NEXT_PAGE);
      birth = b.getLong(FileFormat.CATALOG_NEXT_BIRTH);
    }
    ByteBuffer joined = ByteBuffer.allocate(total).order(ByteOrder.LITTLE_ENDIAN);
    contents.forEach(joined::put);
    return decode(joined.flip(), numbers.stream().mapToInt(Integer::intValue).toArray());
  }

  private static Catalog decode(ByteBuffer b, int[] pages) {
    try {
      List<SpaceMap.Listed> regions = new ArrayList<>();
      for (int left = b.getInt(); left > 0; left--) {
        regions.add(new SpaceMap.Listed(b.getLong(), b.getInt()));
      }
      List<Table> tables = new ArrayList<>();
      for (int left = b.getInt(); left > 0; left--) {
        int id = b.getInt();
        int rootPage = b.getInt();
        long rootBirth = b.getLong();
        int height = b.getShort();
        long count = b.getLong();
        byte[] name = new byte[Short.toUnsignedInt(b.getShort())];
        b.get(name);
        String text = new String(name, StandardCharsets.UTF_8);
        tables.add(new Table(id, text, rootPage, rootBirth, height, count));
      }
      return new Catalog(regions, tables, pages);
    } catch (BufferUnderflowException e) {
      throw new CorruptPageException(pages[0], "the catalog ends in the middle of an entry");
    }
  }
}
