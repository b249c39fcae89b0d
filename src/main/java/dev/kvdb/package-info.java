/**
 * kvdb: an embedded, ordered, persistent key-value store.
 *
 * <p>Keys and values are byte arrays. Keys are ordered by their unsigned bytes, a shorter key
 * before every longer one that begins with it. A database is one file with a ring of log files
 * beside it; it holds any number of named tables.
 *
 * <pre>{@code
 * try (Database database = Database.open(Path.of("shop.kvdb"))) {
 *   Table users = database.table("users");
 *   users.put(key, value);
 *   try (ReadTransaction snapshot = database.beginRead();
 *       Cursor cursor = snapshot.in(users).cursor(KeyRange.prefix(prefix))) {
 *     while (cursor.next()) {
 *       use(cursor.key(), cursor.value());
 *     }
 *   }
 * }
 * }</pre>
 *
 * <p>Failures are unchecked and share the root {@link dev.kvdb.KvdbException}; wrong arguments are
 * {@link java.lang.IllegalArgumentException}, found before anything changes.
 */
package dev.kvdb;
