package dev.kvdb.disk;

import dev.kvdb.nativecalls.NativeCalls.FlushLevel;

/**
 * One recorded call and what it did.
 *
 * @param index its place in the history, from 0
 * @param kind which call
 * @param file the number of the file it was about, -1 if none
 * @param name the name it was about (of a descriptor: the one it was opened under), or the
 *     directory
 * @param otherName the new name of a link or rename, else null
 * @param offset where its bytes go, or the start of the range
 * @param data the bytes that reached the file, or null
 * @param length the length of the range in bytes
 * @param sizeAfter the file's new length if the call changed it, else -1
 * @param level the strength of a flush, else null
 * @param coversBefore of a flush or directory sync: operations with a smaller index had completed
 *     when it began
 * @param errnoName the error it was made to fail with, else null
 * @param effect how much of it was done; {@link Effect#WHOLE} unless it was made to fail
 */
public record Operation(
    int index,
    Kind kind,
    int file,
    String name,
    String otherName,
    long offset,
    byte[] data,
    long length,
    long sizeAfter,
    FlushLevel level,
    int coversBefore,
    String errnoName,
    Effect effect) {

  static Operation data(
      int index, Kind kind, int file, String name, long offset, byte[] data, long sizeAfter) {
    return new Operation(
        index,
        kind,
        file,
        name,
        null,
        offset,
        data,
        data.length,
        sizeAfter,
        null,
        0,
        null,
        Effect.WHOLE);
  }

  static Operation range(
      int index, Kind kind, int file, String name, long offset, long length, long sizeAfter) {
    return new Operation(
        index,
        kind,
        file,
        name,
        null,
        offset,
        null,
        length,
        sizeAfter,
        null,
        0,
        null,
        Effect.WHOLE);
  }

  static Operation name(int index, Kind kind, int file, String name, String otherName) {
    return new Operation(
        index, kind, file, name, otherName, 0, null, 0, -1, null, 0, null, Effect.WHOLE);
  }

  static Operation flush(
      int index, Kind kind, int file, String name, FlushLevel level, int coversBefore) {
    return new Operation(
        index, kind, file, name, null, 0, null, 0, -1, level, coversBefore, null, Effect.WHOLE);
  }

  /** The same, as a call that failed with an error after doing so much. */
  Operation failedWith(String errno, Effect done) {
    return new Operation(
        index,
        kind,
        file,
        name,
        otherName,
        offset,
        data,
        length,
        sizeAfter,
        level,
        coversBefore,
        errno,
        done);
  }

  /** The same, as a call that succeeded and did nothing. */
  Operation withoutEffect() {
    return new Operation(
        index,
        kind,
        file,
        name,
        otherName,
        offset,
        data,
        length,
        sizeAfter,
        level,
        coversBefore,
        null,
        Effect.NONE);
  }

  /** Whether the call was made to fail. */
  public boolean failed() {
    return errnoName != null;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append('#').append(index).append(' ').append(kind).append(' ').append(name);
    if (otherName != null) {
      text.append(" -> ").append(otherName);
    }
    if (length > 0) {
      text.append(" at ").append(offset).append(", ").append(length).append(" bytes");
    }
    if (sizeAfter >= 0) {
      text.append(", file length ").append(sizeAfter);
    }
    if (level != null) {
      text.append(' ').append(level);
    }
    if (errnoName != null) {
      text.append(", failed with ").append(errnoName).append(", effect ").append(effect);
    }
    return text.toString();
  }
}
