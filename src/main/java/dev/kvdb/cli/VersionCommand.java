package dev.kvdb.cli;

import java.lang.module.ModuleDescriptor;
import java.util.concurrent.Callable;
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
  public Integer call() {
    streams
        .out()
        .line(
            "kvdb %s (Java %s, %s %s)",
            version(),
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
}
