package dev.kvdb.cli;

import dev.kvdb.Database;
import dev.kvdb.Durability;
import dev.kvdb.Options;
import dev.kvdb.Table;
import dev.kvdb.WriteBatch;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The process that the demo kills: commits order after order without end, and after each commit
 * that returned writes its number, eight bytes big-endian, to standard output.
 */
public final class DemoWriter {
  private DemoWriter() {}

  /**
   * Runs until it is killed, or nobody reads its output any more.
   *
   * @param args the database's file and the name of a {@link Durability}
   * @throws IOException if standard output cannot be written
   */
  public static void main(String[] args) throws IOException {
    Options options =
        Options.defaults().withCreateIfMissing(false).withDurability(Durability.valueOf(args[1]));
    try (Database database = Database.open(Path.of(args[0]), options);
        FileOutputStream acknowledgements = new FileOutputStream(FileDescriptor.out)) {
      Table table = database.table(DemoOrders.TABLE_NAME);
      WriteBatch batch = new WriteBatch();
      for (long order = 1; ; order++) {
        batch.clear();
        DemoOrders.add(batch, table, order);
        database.write(batch);
        acknowledgements.write(ByteBuffer.allocate(Long.BYTES).putLong(order).array());
      }
    }
  }
}
