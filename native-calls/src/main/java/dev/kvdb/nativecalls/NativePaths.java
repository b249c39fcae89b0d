package dev.kvdb.nativecalls;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Path;

/** Turns paths into what the C library takes: UTF-8 with a zero byte behind it. */
final class NativePaths {
  private NativePaths() {}

  /**
   * A path as a C string.
   *
   * @throws IllegalArgumentException if the path belongs to another file system than the default
   *     one, contains a NUL character, or cannot be written in UTF-8
   */
  static MemorySegment encode(Path path, Arena arena) {
    if (path.getFileSystem() != FileSystems.getDefault()) {
      throw new IllegalArgumentException(
          path + " lies in " + path.getFileSystem() + ", which the operating system does not know");
    }
    return encode(path.toString(), arena);
  }

  static MemorySegment encode(String path, Arena arena) {
    // The kernel would take a name that is cut off at the NUL.
    if (path.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(
          "the path " + path.replace('\0', '?') + " contains a NUL character");
    }
    ByteBuffer bytes;
    try {
      bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(path));
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("the path " + path + " cannot be written in UTF-8", e);
    }
    MemorySegment terminated = arena.allocate(bytes.remaining() + 1L);
    MemorySegment.copy(
        bytes.array(), bytes.position(), terminated, ValueLayout.JAVA_BYTE, 0, bytes.remaining());
    return terminated;
  }
}
