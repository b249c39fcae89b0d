/** An embedded, ordered, persistent key-value store. */
module dev.kvdb {
  exports dev.kvdb;

  // Only for dev.kvdb.cli, which the library jar leaves out.
  requires static info.picocli;
}
