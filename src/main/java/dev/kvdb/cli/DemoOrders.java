package dev.kvdb.cli;

import dev.kvdb.Table;
import dev.kvdb.WriteBatch;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * What the demo's writer commits: order after order, each with two entries of its own and one that
 * all orders share. The entries follow from the order's number, so that another process can tell
 * which are there, and whether they are whole.
 */
final class DemoOrders {
  /** The name of the table. */
  static final String TABLE_NAME = "orders";

  /** Changes in one commit. */
  static final int CHANGES = 3;

  /** Entries that belong to one order alone. */
  static final int OWN_ENTRIES = 2;

  private static final byte[] LAST_ORDER = bytes("last order");

  private DemoOrders() {}

  /** Adds the changes of one order, numbered from 1, to a batch. */
  static void add(WriteBatch batch, Table table, long order) {
    batch.put(table, key(order, "customer"), value(order, "customer"));
    batch.put(table, key(order, "items"), value(order, "items"));
    batch.put(table, LAST_ORDER, bytes(Long.toString(order)));
  }

  /** How many of an order's own entries are there with the right value. */
  static int entriesOf(Table table, long order) {
    int entries = 0;
    for (String part : new String[] {"customer", "items"}) {
      if (Arrays.equals(table.get(key(order, part)), value(order, part))) {
        entries++;
      }
    }
    return entries;
  }

  /** The number in the entry that all orders share; 0 if it is missing. */
  static long lastOrder(Table table) {
    byte[] value = table.get(LAST_ORDER);
    return value == null ? 0 : Long.parseLong(new String(value, StandardCharsets.UTF_8));
  }

  private static byte[] key(long order, String part) {
    return bytes(String.format(Locale.ROOT, "order/%012d/%s", order, part));
  }

  private static byte[] value(long order, String part) {
    String check = Long.toHexString(order * 0x9E3779B97F4A7C15L);
    return bytes(part + " of order " + order + ", check " + check);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
