// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The checkout that this test runs in. */
record Project(Path root) {
  private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");

  static Project find() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.isRegularFile(folder.resolve("flowstone"))) {
      folder = folder.getParent();
      if (folder == null) {
        throw new IllegalStateException("no project root above " + Path.of("").toAbsolutePath());
      }
    }
    return new Project(folder);
  }

  String read(String file) {
    return read(root.resolve(file));
  }

  static String read(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** All but those that only verify. */
  List<String> modules() {
    return MODULE
        .matcher(read("pom.xml"))
        .results()
        .map(match -> match.group(1))
        .filter(module -> !module.startsWith("verification"))
        .toList();
  }

  /** Sources of the product, in a stable order. */
  List<Path> javaSources() {
    return modules().stream()
        .map(module -> root.resolve(module).resolve("src/main/java"))
        .filter(Files::isDirectory)
        .flatMap(folder -> below(folder, ".java").stream())
        .toList();
  }

  List<Path> below(Path folder, String ending) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(ending)).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Where the class was written, a nested one with the class around it. */
  Path sourceOf(Class<?> type) {
    Class<?> outer = type;
    while (outer.getEnclosingClass() != null) {
      outer = outer.getEnclosingClass();
    }
    String file = outer.getName().replace('.', '/') + ".java";
    return Stream.concat(modules().stream(), Stream.of("verification/benchmarks"))
        .map(module -> root.resolve(module).resolve("src/main/java").resolve(file))
        .filter(Files::isRegularFile)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no source of " + type));
  }
}
