package dev.kvdb.pager;

import dev.kvdb.page.CorruptPageException;

/**
 * The two meta pages as an open finds them.
 *
 * @param newest the one that counts
 * @param newestPlace which of the two places it is in
 * @param isOneDamaged whether the other is no meta page at all
 */
public record Metas(Meta newest, int newestPlace, boolean isOneDamaged) {

  /**
   * Reads both.
   *
   * @throws UnsupportedFileException if the file is not a kvdb page file of this version
   * @throws CorruptPageException if neither is whole, or the file is shorter than the newer one
   *     says
   */
  public static Metas read(PageFile file) {
    byte[] first = file.read(FileFormat.META_PAGES[0]);
    byte[] second = file.read(FileFormat.META_PAGES[1]);
    requireOurs(first, second);
    Meta[] metas = {decode(first), decode(second)};
    if (metas[0] == null && metas[1] == null) {
      throw new CorruptPageException(-1, "both of its meta pages are damaged");
    }
    int place = 0;
    if (metas[0] == null
        || (metas[1] != null && metas[1].nextCommitNumber() > metas[0].nextCommitNumber())) {
      place = 1;
    }
    Meta newest = metas[place];
    if (file.pages() < newest.pageCount()) {
      throw new CorruptPageException(
          -1,
          "the file has "
              + file.pages()
              + " pages, its newest checkpoint needs "
              + newest.pageCount()
              + ": it was cut short");
    }
    return new Metas(newest, place, metas[1 - place] == null);
  }

  private static Meta decode(byte[] page) {
    return page == null ? null : Meta.decode(page);
  }

  private static void requireOurs(byte[] first, byte[] second) {
    boolean isFirst = first != null && Meta.hasMagic(first);
    boolean isSecond = second != null && Meta.hasMagic(second);
    if (!isFirst && !isSecond) {
      throw new UnsupportedFileException("not a kvdb database (check the path)");
    }
    int version = Meta.version(isFirst ? first : second);
    if (version > FileFormat.VERSION
        && (!isFirst || !isSecond || Meta.version(second) == version)) {
      throw new UnsupportedFileException(
          "written in format version "
              + version
              + ", this build reads up to "
              + FileFormat.VERSION
              + " (use a newer kvdb)");
    }
  }
}
