package dev.kvdb.nativecalls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kvdb.probe.NativeAccessProbe;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a user is told where kvdb cannot work. */
class SystemCallsTest {

  private static String probe(String... options) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xshare:auto", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of(options));
    command.add(NativeAccessProbe.class.getName());
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), output);
    return output;
  }

  private static String location(Class<?> type) throws Exception {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
  }

  /** The option that makes this JVM refuse what was not allowed. */
  private static String denial() {
    return Runtime.version().feature() >= 24
        ? "--illegal-native-access=deny"
        : "--enable-native-access=java.logging";
  }

  @Test
  void theInstanceIsShared() {
    assertSame(NativeCalls.system(), NativeCalls.system());
  }

  @Test
  void otherSystemsAreToldWhatIsSupported() {
    assertNull(SystemCalls.problem("Linux", System.getProperty("os.arch")));
    assertEquals(
        "kvdb runs on Linux on x86-64 and aarch64, not on Windows 11 on amd64",
        SystemCalls.problem("Windows 11", "amd64"));
    assertEquals(
        "kvdb runs on Linux on x86-64 and aarch64, not on Linux on riscv64",
        SystemCalls.problem("Linux", "riscv64"));
  }

  @Test
  void missingFunctionsAreNamed() {
    assertEquals(
        List.of("no_such_function"),
        Linking.missing(Linking.cLibrary(), List.of("open", "no_such_function")));
    assertEquals(List.of(), Linking.missing(Linking.cLibrary(), PosixFunctions.NAMES));
    assertEquals(List.of(), Linking.missing(Linking.cLibrary(), LinuxFunctions.NAMES));
  }

  @Test
  void deniedAccessNamesTheOptionOnTheClassPath() throws Exception {
    String classPath = location(NativeCalls.class) + ":" + location(NativeAccessProbe.class);
    String expected =
        "kvdb calls the operating system through java.lang.foreign, and this JVM denies it native"
            + " access; start java with --enable-native-access=ALL-UNNAMED\n";
    assertEquals(expected + expected, probe(denial(), "-cp", classPath));
    String allowed = probe("--enable-native-access=ALL-UNNAMED", "-cp", classPath);
    assertTrue(allowed.startsWith("page size "), allowed);
  }

  @Test
  void deniedAccessNamesTheModule() throws Exception {
    String[] modular = {
      "--module-path",
      location(NativeCalls.class),
      "--add-modules",
      "dev.kvdb",
      "--add-exports",
      "dev.kvdb/dev.kvdb.nativecalls=ALL-UNNAMED",
      "-cp",
      location(NativeAccessProbe.class)
    };
    String denied = probe(join(modular, denial()));
    assertTrue(denied.contains("start java with --enable-native-access=dev.kvdb\n"), denied);
    String allowed = probe(join(modular, "--enable-native-access=dev.kvdb"));
    assertTrue(allowed.startsWith("page size "), allowed);
  }

  private static String[] join(String[] options, String last) {
    List<String> all = new ArrayList<>(List.of(options));
    all.add(last);
    return all.toArray(String[]::new);
  }
}
