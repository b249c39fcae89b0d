package dev.kvdb.bench;

import com.sun.management.ThreadMXBean;
import dev.kvdb.Options;
import dev.kvdb.Table;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * The phases of one engine in a process of its own: {@code Phases GROUP PEER FOLDER KEYS}. Prints a
 * line {@code RESULT name number} for each figure.
 */
final class Phases {
  private static final int WARM_UP_KEYS = 500_000;
  private static final int WARM_UP_ROUNDS = 4;
  private static final int SCANS = 5;

  private static final ThreadMXBean THREADS =
      (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final Path folder;
  private final int keys;
  private final boolean isKvdb;
  private long start;
  private long cpuStart;
  private double nanos;
  private double cpuNanos;

  private Phases(String peer, Path folder, int keys) {
    this.isKvdb = peer.equals("kvdb");
    this.folder = folder;
    this.keys = keys;
  }

  /** Runs one group of phases. */
  public static void main(String[] arguments) throws IOException {
    Phases phases =
        new Phases(arguments[1], Path.of(arguments[2]), Integer.parseInt(arguments[3]));
    switch (arguments[0]) {
      case "ascending" -> phases.run("ascending", Entries.ascending(phases.keys));
      case "random" -> phases.run("random", Entries.shuffled(phases.keys, 0));
      case "abandon" -> phases.abandon();
      case "reopen" -> phases.reopen();
      default -> throw new IllegalArgumentException("no group of phases " + arguments[0]);
    }
  }

  private Peer open(String name) {
    return isKvdb ? new KvdbPeer(folder.resolve(name), KvdbPeer.OPTIONS) : new TreeMapPeer();
  }

  /** Starts to time a phase: the clock, and the processor time of this thread. */
  private void start() {
    cpuStart = THREADS.getCurrentThreadCpuTime();
    start = System.nanoTime();
  }

  /** Ends a phase; the work of other threads is in the one figure only. */
  private void stop(int operations) {
    nanos = (System.nanoTime() - start) / (double) operations;
    cpuNanos = (THREADS.getCurrentThreadCpuTime() - cpuStart) / (double) operations;
  }

  private void reportTimes(String name) {
    report(name, nanos);
    report(name + ".cpu", cpuNanos);
  }

  private static void report(String name, double value) {
    System.out.println(String.format(Locale.ROOT, "RESULT %s %.2f", name, value));
  }

  /** Puts, gets and scans: a smaller number of other entries first, so that the code is compiled. */
  private void run(String order, int[] putOrder) throws IOException {
    warmUp(order);
    System.gc();
    try (Peer peer = open("bench.kvdb")) {
      put(peer, putOrder);
      reportTimes(order + ".put");
      System.gc();
      get(peer, Entries.shuffled(keys, 1));
      reportTimes(order + ".get");
      scan(peer);
      reportTimes(order + ".scan");
      if (peer instanceof KvdbPeer kvdb) {
        report(order + ".getBytes", bytesAllocatedByGets(kvdb.table()));
        report(order + ".fill", 100 * kvdb.table().stats().fill());
      }
      peer.verify(keys);
    }
    if (isKvdb) {
      report(order + ".fileMiB", Files.size(folder.resolve("bench.kvdb")) / 1048576.0);
    }
  }

  private void warmUp(String order) {
    int count = Math.min(keys, WARM_UP_KEYS);
    int[] putOrder =
        order.equals("ascending") ? Entries.ascending(count) : Entries.shuffled(count, 2);
    for (int round = 0; round < WARM_UP_ROUNDS; round++) {
      try (Peer peer = open("warm-up" + round + ".kvdb")) {
        put(peer, putOrder);
        get(peer, Entries.shuffled(count, 3));
        for (int i = 0; i < SCANS; i++) {
          scanOnce(peer, count);
        }
      }
    }
  }

  /** Keys and values are made in the loop, for every peer alike. */
  private void put(Peer peer, int[] order) {
    start();
    for (int index : order) {
      peer.put(Entries.key(index), Entries.value(index));
    }
    stop(order.length);
  }

  private void get(Peer peer, int[] order) {
    byte[] key = Entries.key(0);
    long sum = 0;
    start();
    for (int index : order) {
      Entries.fillKey(key, index);
      sum += (long) Entries.LONG.get(peer.get(key), 0);
    }
    stop(order.length);
    Verification.requireCount(valueSum(order.length), sum);
  }

  private static long valueSum(int count) {
    long sum = 0;
    for (int i = 0; i < count; i++) {
      sum += (long) Entries.LONG.get(Entries.value(i), 0);
    }
    return sum;
  }

  /** Bytes of heap that a get into memory of the caller takes. */
  private double bytesAllocatedByGets(Table table) {
    int[] order = Entries.shuffled(keys, 4);
    byte[] key = Entries.key(0);
    long sum = 0;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(Entries.VALUE_BYTES);
      long before = 0;
      for (int i = 0; i < order.length; i++) {
        if (i == order.length / 2) {
          before = THREADS.getCurrentThreadAllocatedBytes(); // compiled by now
        }
        Entries.fillKey(key, order[i]);
        sum += table.get(key, buffer);
      }
      long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
      Verification.requireCount((long) Entries.VALUE_BYTES * order.length, sum);
      return allocated / (order.length - order.length / 2.0);
    }
  }

  /** The quickest of several scans. */
  private void scan(Peer peer) {
    double best = Double.MAX_VALUE;
    double bestCpu = Double.MAX_VALUE;
    for (int i = 0; i < SCANS; i++) {
      scanOnce(peer, keys);
      best = Math.min(best, nanos);
      bestCpu = Math.min(bestCpu, cpuNanos);
    }
    nanos = best;
    cpuNanos = bestCpu;
  }

  private void scanOnce(Peer peer, int count) {
    start();
    long sum = peer.scan();
    stop(count);
    long expected = valueSum(count);
    for (int i = 0; i < count; i++) {
      expected += (long) Entries.LONG.get(Entries.key(i), Entries.KEY_BYTES - Long.BYTES);
    }
    Verification.requireCount(expected, sum);
  }

  /** Options with which no checkpoint is taken before the process ends. */
  private Options withoutCheckpoints() {
    return KvdbPeer.OPTIONS
        .withLogBytesMax(8L << 30)
        .withLogBytesTrigger(4L << 30)
        .withDeadBytesTrigger(4L << 30);
  }

  /** Leaves a database all of whose records are in the log only. */
  private void abandon() {
    KvdbPeer peer = new KvdbPeer(folder.resolve("reopen.kvdb"), withoutCheckpoints());
    put(peer, Entries.shuffled(keys, 0));
    Verification.requireCount(0, peer.database().stats().checkpoints());
    report("reopen.logMiB", peer.database().stats().logBytes() / 1048576.0);
    System.out.flush();
    Runtime.getRuntime().halt(0);
  }

  /** Opens it; a new process, so nothing is compiled. */
  private void reopen() {
    long start = System.nanoTime();
    try (KvdbPeer peer = new KvdbPeer(folder.resolve("reopen.kvdb"), KvdbPeer.OPTIONS)) {
      report("reopen.ms", (System.nanoTime() - start) / 1e6);
      peer.verify(keys);
    }
  }
}
