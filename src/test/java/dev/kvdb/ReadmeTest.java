package dev.kvdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What README shows is true: its example compiles and prints what it says. */
class ReadmeTest {
  @TempDir Path directory;

  @Test
  void theExampleCompilesAndRuns() throws Exception {
    String code = example(Files.readString(Path.of("README.md")));
    Path source = directory.resolve("Example.java");
    Files.writeString(
        source,
        "import dev.kvdb.*;\nimport java.nio.file.Path;\n"
            + "public class Example {\n  public static void main(String[] args) {\n"
            + code
            + "\n  }\n}\n");
    ByteArrayOutputStream messages = new ByteArrayOutputStream();
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    int status =
        compiler.run(
            null,
            messages,
            messages,
            "-cp",
            System.getProperty("java.class.path"),
            "-d",
            directory.toString(),
            source.toString());
    assertEquals(0, status, messages.toString());
    assertEquals("alan\n", run());
  }

  private static String example(String readme) {
    int start = readme.indexOf("```java\n");
    assertTrue(start >= 0, "README.md has no Java example");
    int from = start + "```java\n".length();
    return readme.substring(from, readme.indexOf("```", from));
  }

  private String run() throws IOException, InterruptedException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String classPath = directory + File.pathSeparator + System.getProperty("java.class.path");
    Process process =
        new ProcessBuilder(
                List.of(java, "--enable-native-access=ALL-UNNAMED", "-cp", classPath, "Example"))
            .directory(directory.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String printed = new String(process.getInputStream().readAllBytes());
    assertEquals(0, process.waitFor());
    return printed;
  }
}
