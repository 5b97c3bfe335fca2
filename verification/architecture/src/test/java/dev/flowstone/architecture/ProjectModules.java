// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.architecture;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** The modules that the root pom names, and the classes the build made of them. */
record ProjectModules(Path root) {
  private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");

  /** Walks up from the working directory to the folder that holds the launcher. */
  static ProjectModules find() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.isRegularFile(folder.resolve("flowstone"))) {
      folder = folder.getParent();
      if (folder == null) {
        throw new IllegalStateException("no project root above " + Path.of("").toAbsolutePath());
      }
    }
    return new ProjectModules(folder);
  }

  String read(String file) {
    try {
      return Files.readString(root.resolve(file), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Modules with Java code of their own that others may use: all but verification. */
  List<String> withJavaSources() {
    return MODULE
        .matcher(read("pom.xml"))
        .results()
        .map(match -> match.group(1))
        .filter(module -> !module.startsWith("verification/"))
        .filter(module -> Files.isDirectory(root.resolve(module).resolve("src/main/java")))
        .toList();
  }

  Path classesOf(String module) {
    return root.resolve(module).resolve("target/classes");
  }

  JavaClasses importClasses() {
    return importClasses(withJavaSources());
  }

  JavaClasses importClasses(List<String> modules) {
    return new ClassFileImporter().importPaths(modules.stream().map(this::classesOf).toList());
  }
}
