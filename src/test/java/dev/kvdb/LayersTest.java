package dev.kvdb;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.io.RandomAccessFile;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;

/** Who may call whom, and what nobody may use. */
@AnalyzeClasses(packages = "dev.kvdb", importOptions = ImportOption.DoNotIncludeTests.class)
class LayersTest {
  private static final String[] BELOW_THE_API = {
    "dev.kvdb.engine..",
    "dev.kvdb.lock..",
    "dev.kvdb.tree..",
    "dev.kvdb.log..",
    "dev.kvdb.pager..",
    "dev.kvdb.page..",
    "dev.kvdb.nativecalls.."
  };

  @ArchTest
  static void callsGoDownward(JavaClasses classes) {
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .withOptionalLayers(true)
        .layer("cli")
        .definedBy("dev.kvdb.cli..")
        .layer("cache and maps")
        .definedBy("dev.kvdb.cache..", "dev.kvdb.maps..")
        .layer("public API")
        .definedBy("dev.kvdb")
        .layer("engine")
        .definedBy("dev.kvdb.engine..")
        .layer("lock")
        .definedBy("dev.kvdb.lock..")
        .layer("tree")
        .definedBy("dev.kvdb.tree..")
        .layer("log")
        .definedBy("dev.kvdb.log..")
        .layer("pager")
        .definedBy("dev.kvdb.pager..")
        .layer("page")
        .definedBy("dev.kvdb.page..")
        .layer("native calls")
        .definedBy("dev.kvdb.nativecalls..")
        .whereLayer("cli")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("cache and maps")
        .mayOnlyBeAccessedByLayers("cli")
        .whereLayer("public API")
        .mayOnlyBeAccessedByLayers("cli", "cache and maps")
        .whereLayer("engine")
        .mayOnlyBeAccessedByLayers("public API")
        .whereLayer("lock")
        .mayOnlyBeAccessedByLayers("engine")
        .whereLayer("tree")
        .mayOnlyBeAccessedByLayers("engine")
        .whereLayer("log")
        .mayOnlyBeAccessedByLayers("engine")
        .whereLayer("pager")
        .mayOnlyBeAccessedByLayers("engine", "tree", "log")
        .whereLayer("page")
        .mayOnlyBeAccessedByLayers("engine", "tree", "log", "pager")
        // A page is bytes in memory: its layout needs no operating system.
        .whereLayer("native calls")
        .mayOnlyBeAccessedByLayers("public API", "engine", "log", "pager")
        .allowEmptyShould(true)
        .check(classes);
  }

  /** The rest of the code can then be tested over a simulated system. */
  @ArchTest
  static void onlyNativeCallsLinksFunctions(JavaClasses classes) {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.kvdb.nativecalls..")
        .should()
        .dependOnClassesThat()
        .belongToAnyOf(Linker.class, SymbolLookup.class)
        .allowEmptyShould(true)
        .check(classes);
  }

  /** An interrupt closes a channel, for all threads. */
  @ArchTest
  static void noInterruptibleFiles(JavaClasses classes) {
    noClasses()
        .that()
        .resideInAnyPackage(BELOW_THE_API)
        .should()
        .dependOnClassesThat()
        .belongToAnyOf(FileChannel.class, AsynchronousFileChannel.class, RandomAccessFile.class)
        .allowEmptyShould(true)
        .check(classes);
  }

  /** It is going away, and what it does nobody checks. */
  @ArchTest
  static void nobodyUsesUnsafe(JavaClasses classes) {
    noClasses()
        .should()
        .dependOnClassesThat()
        .haveFullyQualifiedName("sun.misc.Unsafe")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("jdk.internal.misc.Unsafe")
        .allowEmptyShould(true)
        .check(classes);
  }

  /** Of the packages that hold public types, the module exports the public API and no other. */
  @ArchTest
  static void theModuleExportsThePublicApi(JavaClasses classes) throws Exception {
    Set<String> expected =
        classes.stream()
            .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
            .map(type -> type.getPackageName())
            .filter(Set.of("dev.kvdb", "dev.kvdb.cache", "dev.kvdb.maps")::contains)
            .collect(Collectors.toSet());
    Path output =
        Path.of(
            Class.forName("dev.kvdb.page.PageFormat")
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
    ModuleDescriptor module = ModuleFinder.of(output).find("dev.kvdb").orElseThrow().descriptor();
    Set<String> exported =
        module.exports().stream()
            .filter(export -> !export.isQualified())
            .map(ModuleDescriptor.Exports::source)
            .collect(Collectors.toSet());
    assertEquals(expected, exported, "exported by module-info.java");
  }
}
