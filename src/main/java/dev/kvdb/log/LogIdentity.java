package dev.kvdb.log;

import java.util.Objects;
import java.util.UUID;

/**
 * Whose log a slot file belongs to.
 *
 * @param databaseId the random id a database is given when it is created
 * @param timeline the id that is renewed when a backup, a restore or a copy begins a history of its
 *     own
 */
public record LogIdentity(UUID databaseId, UUID timeline) {
  /** Both ids are needed. */
  public LogIdentity {
    Objects.requireNonNull(databaseId);
    Objects.requireNonNull(timeline);
  }
}
