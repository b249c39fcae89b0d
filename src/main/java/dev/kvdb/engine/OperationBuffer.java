package dev.kvdb.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Operations as the log carries them, one behind the other. The payload of a commit.
 *
 * <pre>
 *  put           1 | table u32 | key length u16 | value length u16 | key | value
 *  delete        2 | table u32 | key length u16 | key
 *  delete range  3 | table u32 | bounds u8 | from length u16 | to length u16 | from | to
 *  create table  4 | table u32 | name length u16 | name
 *  drop table    5 | table u32
 *  rename table  6 | table u32 | name length u16 | name
 * </pre>
 *
 * <p>Numbers are little-endian. A range runs from its lower bound, inclusive, to its upper bound,
 * exclusive; bounds says which of the two there are (1: lower, 2: upper). One thread at a time.
 */
public final class OperationBuffer {
  static final byte PUT = 1;
  static final byte DELETE = 2;
  static final byte DELETE_RANGE = 3;
  static final byte CREATE_TABLE = 4;
  static final byte DROP_TABLE = 5;
  static final byte RENAME_TABLE = 6;

  static final int HAS_FROM = 1;
  static final int HAS_TO = 2;

  static final int TABLE = 1;
  static final int LENGTHS = 5;
  static final int PUT_CONTENT = LENGTHS + 4;
  static final int DELETE_CONTENT = LENGTHS + 2;
  static final int BOUNDS = LENGTHS;
  static final int RANGE_LENGTHS = BOUNDS + 1;
  static final int RANGE_CONTENT = RANGE_LENGTHS + 4;
  static final int NAME_CONTENT = LENGTHS + 2;
  static final int DROP_BYTES = LENGTHS;

  static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);

  /** The longest payload in bytes: what one array can hold, with room for a record's header. */
  static final int BYTES_MAX = Integer.MAX_VALUE - 1024;

  private static final byte[] NOTHING = {};

  private byte[] bytes = new byte[256];
  private int length;
  private int operations;
  private boolean onlyDeletes = true;

  /** Adds a put. */
  public void put(int table, byte[] key, byte[] value) {
    int at = begin(PUT, table, PUT_CONTENT + key.length + value.length);
    SHORT.set(bytes, at + LENGTHS, (short) key.length);
    SHORT.set(bytes, at + LENGTHS + 2, (short) value.length);
    System.arraycopy(key, 0, bytes, at + PUT_CONTENT, key.length);
    System.arraycopy(value, 0, bytes, at + PUT_CONTENT + key.length, value.length);
    onlyDeletes = false;
  }

  /** Adds a delete. */
  public void delete(int table, byte[] key) {
    int at = begin(DELETE, table, DELETE_CONTENT + key.length);
    SHORT.set(bytes, at + LENGTHS, (short) key.length);
    System.arraycopy(key, 0, bytes, at + DELETE_CONTENT, key.length);
  }

  /** Adds the removal of a range; a null bound leaves that side open. */
  public void deleteRange(int table, byte[] from, byte[] to) {
    byte[] lower = from == null ? NOTHING : from;
    byte[] upper = to == null ? NOTHING : to;
    int at = begin(DELETE_RANGE, table, RANGE_CONTENT + lower.length + upper.length);
    bytes[at + BOUNDS] = (byte) ((from == null ? 0 : HAS_FROM) | (to == null ? 0 : HAS_TO));
    SHORT.set(bytes, at + RANGE_LENGTHS, (short) lower.length);
    SHORT.set(bytes, at + RANGE_LENGTHS + 2, (short) upper.length);
    System.arraycopy(lower, 0, bytes, at + RANGE_CONTENT, lower.length);
    System.arraycopy(upper, 0, bytes, at + RANGE_CONTENT + lower.length, upper.length);
  }

  void createTable(int table, byte[] name) {
    addName(CREATE_TABLE, table, name);
    onlyDeletes = false;
  }

  void renameTable(int table, byte[] name) {
    addName(RENAME_TABLE, table, name);
    onlyDeletes = false;
  }

  private void addName(byte kind, int table, byte[] name) {
    int at = begin(kind, table, NAME_CONTENT + name.length);
    SHORT.set(bytes, at + LENGTHS, (short) name.length);
    System.arraycopy(name, 0, bytes, at + NAME_CONTENT, name.length);
  }

  void dropTable(int table) {
    begin(DROP_TABLE, table, DROP_BYTES);
  }

  private int begin(byte kind, int table, int size) {
    if (size > BYTES_MAX - length) {
      throw new EngineException(
          EngineException.Kind.LIMIT,
          "a batch may hold " + BYTES_MAX + " bytes (write it in several)",
          null);
    }
    if (length + size > bytes.length) {
      long doubled = Math.min(BYTES_MAX, 2L * bytes.length);
      bytes = Arrays.copyOf(bytes, (int) Math.max(doubled, length + size));
    }
    int at = length;
    bytes[at] = kind;
    INT.set(bytes, at + TABLE, table);
    length += size;
    operations++;
    return at;
  }

  /** How many operations were added. */
  public int operationCount() {
    return operations;
  }

  /** Their length in bytes as the log carries them. */
  public long byteCount() {
    return length;
  }

  /** Forgets all operations; keeps the memory unless it is large. */
  public void clear() {
    length = 0;
    operations = 0;
    onlyDeletes = true;
    if (bytes.length > 1 << 20) {
      bytes = new byte[256];
    }
  }

  byte[] bytes() {
    return bytes;
  }

  int length() {
    return length;
  }

  /** Whether these operations only take away, so that they may use the reserve of a full disk. */
  boolean onlyDeletes() {
    return onlyDeletes;
  }
}
