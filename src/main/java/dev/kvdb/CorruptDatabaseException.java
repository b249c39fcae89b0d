package dev.kvdb;

/**
 * The file is damaged: a checksum, a reference or a length is not what it has to be. The message
 * names the place. Nothing was changed; restore a backup, or let {@code kvdb verify} list all
 * damage.
 */
public class CorruptDatabaseException extends KvdbException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what is wrong, with the file's name, and what to do
   * @param cause what led to it, null if nothing did
   */
  CorruptDatabaseException(String message, Throwable cause) {
    super(message, cause);
  }
}
