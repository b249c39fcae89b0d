/**
 * The write-ahead log: a ring of slot files beside the page file, appended to record by record and
 * read back after a crash. Knows nothing of pages, tables or what a payload means.
 */
package dev.kvdb.log;
