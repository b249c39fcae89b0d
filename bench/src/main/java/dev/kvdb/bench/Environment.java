package dev.kvdb.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/** What the figures depend on besides the code. */
final class Environment {
  private Environment() {}

  /** Names and descriptions, in the order to print them. */
  static Map<String, String> describe() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("cpu", processor() + ", " + Runtime.getRuntime().availableProcessors() + " cores");
    facts.put(
        "java",
        System.getProperty("java.vm.vendor")
            + " "
            + System.getProperty("java.vm.name")
            + " "
            + System.getProperty("java.runtime.version"));
    facts.put(
        "system",
        System.getProperty("os.name")
            + " "
            + System.getProperty("os.version")
            + " "
            + System.getProperty("os.arch"));
    facts.put("load", load());
    return facts;
  }

  /** How many threads wanted to run in the last minute. */
  static String load() {
    double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    return load < 0 ? "unknown" : String.valueOf(Math.round(load * 100) / 100.0);
  }

  private static String processor() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse("unknown");
    } catch (IOException notLinux) {
      return "unknown"; // a description only
    }
  }
}
