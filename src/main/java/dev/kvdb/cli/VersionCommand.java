package dev.kvdb.cli;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.security.CodeSource;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.jar.JarInputStream;
import java.util.jar.Manifest;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code kvdb version}. */
@Command(name = "version", description = "Print the version of kvdb, Java and the system.")
final class VersionCommand implements Callable<Integer> {
  @Mixin GeneralOptions options;

  private final Streams streams;

  VersionCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() throws IOException {
    streams
        .out()
        .line(
            "kvdb %s (%sJava %s, %s %s)",
            version(),
            revision().map(revision -> "revision " + revision + ", ").orElse(""),
            System.getProperty("java.version"),
            System.getProperty("os.name"),
            System.getProperty("os.arch"));
    return ExitStatus.SUCCESS;
  }

  /** The version in the module's descriptor or the jar's manifest. */
  private static String version() {
    ModuleDescriptor module = VersionCommand.class.getModule().getDescriptor();
    if (module != null && module.rawVersion().isPresent()) {
      return module.rawVersion().get();
    }
    String manifestVersion = VersionCommand.class.getPackage().getImplementationVersion();
    return manifestVersion == null ? "built from source" : manifestVersion;
  }

  /** The revision in the manifest of the jar this class came from; empty outside a jar. */
  private static Optional<String> revision() throws IOException {
    CodeSource source = VersionCommand.class.getProtectionDomain().getCodeSource();
    if (source == null || !source.getLocation().getPath().endsWith(".jar")) {
      return Optional.empty();
    }
    try (JarInputStream jar = new JarInputStream(source.getLocation().openStream())) {
      Manifest manifest = jar.getManifest();
      return Optional.ofNullable(manifest)
          .map(present -> present.getMainAttributes().getValue("Git-Revision"));
    }
  }
}
