package dev.kvdb.log;

import dev.kvdb.nativecalls.NativeCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.function.LongSupplier;

/** What the tests of the log share: a directory, an identity, and short ways to write and read. */
final class LogFixture {
  static final LogIdentity IDENTITY = new LogIdentity(new UUID(1, 2), new UUID(3, 4));
  static final int SLOT_BYTES = 8192;

  /** A commit as it was appended or read back. */
  record Commit(long number, byte[] payload) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Commit commit
          && commit.number == number
          && Arrays.equals(commit.payload, payload);
    }

    @Override
    public int hashCode() {
      return Long.hashCode(number);
    }

    @Override
    public String toString() {
      return number + ":" + payload.length + " bytes";
    }
  }

  final Path pageFile;
  final FaultyCalls faulty = new FaultyCalls(NativeCalls.system());
  NativeCalls calls = NativeCalls.system();
  LogOptions options = new LogOptions(SLOT_BYTES, 64 * SLOT_BYTES, false);
  LongSupplier random = new Random(1)::nextLong;
  final List<Commit> appended = new ArrayList<>();
  private long nextCommit = 1;

  LogFixture(Path directory) {
    pageFile = directory.resolve("P");
  }

  LogFixture mapped(boolean mapped) {
    options = new LogOptions(options.slotBytes(), options.capBytes(), mapped);
    return this;
  }

  LogFixture withFaultyCalls() {
    calls = faulty.calls;
    return this;
  }

  LogDirectory scan() {
    return LogDirectory.scan(NativeCalls.system(), pageFile, IDENTITY);
  }

  Log open(long nextSlotNumber, long nextLsn) {
    return open(nextSlotNumber, nextLsn, MappedAppender::new);
  }

  Log open(long nextSlotNumber, long nextLsn, Log.MappedAppenderFactory mapped) {
    return new Log(
        calls, pageFile, IDENTITY, options, scan(), nextSlotNumber, nextLsn, random, mapped);
  }

  /** Appends a commit with a payload of the length that only its number decides. */
  long commit(Log log, int payloadBytes) {
    Commit commit = new Commit(nextCommit++, payload(nextCommit, payloadBytes));
    log.reserve(payloadBytes);
    long lsn = log.append(commit.number, commit.payload, 0, payloadBytes);
    appended.add(commit);
    return lsn;
  }

  static byte[] payload(long seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  LogReader reader(LogPosition start) {
    return LogReader.open(NativeCalls.system(), scan(), start);
  }

  List<Commit> read(LogPosition start) {
    return read(reader(start));
  }

  static List<Commit> read(LogReader reader) {
    List<Commit> commits = new ArrayList<>();
    reader.forEachCommit(
        (number, bytes, offset, length) ->
            commits.add(new Commit(number, Arrays.copyOfRange(bytes, offset, offset + length))));
    return commits;
  }

  Path slotFile(int index) {
    return LogFormat.slotFile(pageFile, index);
  }

  /** The file of a slot number. */
  Path fileOf(long slotNumber) {
    return scan().slots().stream()
        .filter(slot -> slot.number() == slotNumber)
        .findFirst()
        .orElseThrow()
        .name()
        .path();
  }

  static byte[] bytesOf(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  static void replace(Path file, byte[] bytes) {
    try {
      Files.write(file, bytes);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
