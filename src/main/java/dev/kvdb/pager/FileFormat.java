package dev.kvdb.pager;

import dev.kvdb.page.PageFormat;

/**
 * Where things lie in the page file, beyond the single page: meta pages, regions and their space
 * maps, the catalog. The one place that knows, shared by what writes, reads and checks.
 */
public final class FileFormat {
  /** "kvdbpage" read as a little-endian number. */
  public static final long MAGIC = 0x656761706264766BL;

  /** Raised when an older build could not read, or would damage, what this one writes. */
  public static final int VERSION = 1;

  /** The two places of the meta page, 64 KiB apart so that no drive unit holds both. */
  static final int[] META_PAGES = {0, 16};

  /** All of a meta lies in this many bytes, so that a torn page write leaves it old or new. */
  public static final int META_BYTES = 512;

  static final int META_MAGIC = 0;
  static final int META_VERSION = 8;
  static final int META_PAGE_BYTES = 12;
  static final int META_DATABASE_ID = 16;
  static final int META_TIMELINE = 32;
  static final int META_NEXT_COMMIT_NUMBER = 48;
  static final int META_CHECKPOINT_NUMBER = 56;
  static final int META_CATALOG_PAGE = 64;
  static final int META_PAGE_COUNT = 68;
  static final int META_CATALOG_BIRTH = 72;
  static final int META_NEXT_TABLE_ID = 80;
  static final int META_FLAGS = 84;
  static final int META_NEXT_LSN = 88;
  static final int META_NEXT_SLOT_NUMBER = 96;
  static final int META_LOG_SLOT_NUMBER = 104;
  static final int META_LOG_SLOT_SALT = 112;
  static final int META_LOG_OFFSET = 120;
  static final int META_LOG_CHAIN = 128;
  static final int META_CHECKPOINT_MILLIS = 136;
  static final int META_CHECKSUM = 508;

  static final int FLAG_CLEAN = 1;
  static final int FLAG_NAMES_LOG = 2;

  /** Pages a region: their bits fill a page behind its header. */
  public static final int REGION_PAGES = (PageFormat.PAGE_BYTES - PageFormat.HEADER_BYTES) * 8;

  /** Within each region, the pages that hold its map; two, used in turn. */
  static final int[] MAP_PAGES = {1, 2};

  /** Longs in the map of a region. */
  static final int MAP_WORDS = REGION_PAGES / Long.SIZE;

  /** The first page of a new file's tail that anything may use. */
  static final int FIRST_FREE_PAGE = 3;

  /** In a catalog page: u32 page and u64 birth of the next one (0: last), u16 bytes used. */
  static final int CATALOG_NEXT_PAGE = 32;

  static final int CATALOG_USED_BYTES = 36;
  static final int CATALOG_NEXT_BIRTH = 40;
  static final int CATALOG_CONTENT = 48;
  static final int CATALOG_CONTENT_BYTES = PageFormat.PAGE_BYTES - CATALOG_CONTENT;

  private FileFormat() {}

  /** Whether a page is a meta page or holds a region's map: never handed out, always marked. */
  static boolean isFixed(int page) {
    int inRegion = page % REGION_PAGES;
    return page == META_PAGES[0]
        || page == META_PAGES[1]
        || inRegion == MAP_PAGES[0]
        || inRegion == MAP_PAGES[1];
  }
}
