package dev.kvdb.page;

/** A page that is not what it has to be. The engine adds the file's name. */
public final class CorruptPageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final long page;

  /**
   * @param page the page's number, or -1 if it has none
   * @param problem what was expected and what was found
   */
  public CorruptPageException(long page, String problem) {
    super(page < 0 ? problem : "page " + page + ": " + problem);
    this.page = page;
  }

  /** The number of the page, -1 if the damage is not in one page. */
  public long page() {
    return page;
  }
}
