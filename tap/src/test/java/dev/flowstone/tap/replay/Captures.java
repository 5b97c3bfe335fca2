// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The collection of real captures with known answers, where it is present. */
public final class Captures {
  static final String ORACLE_SUFFIX = ".oracle.json";

  private Captures() {}

  /** Every capture that has an oracle file; skips the test when there are none. */
  public static List<Path> withOracle() {
    Path root = root();
    assumeTrue(
        Files.isDirectory(root),
        () -> "SKIPPED: no captures at " + root + "; set -Dflowstone.captures=FOLDER");
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .filter(file -> file.toString().matches(".*\\.(pcap|pcapng|erf)"))
          .filter(file -> Files.exists(oracle(file)))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Path oracle(Path capture) {
    return Path.of(capture + ORACLE_SUFFIX);
  }

  private static Path root() {
    String property = System.getProperty("flowstone.captures");
    return property != null ? Path.of(property) : projectRoot().resolve("../shared/captures");
  }

  private static Path projectRoot() {
    Path folder = Path.of("").toAbsolutePath();
    while (folder != null && !Files.exists(folder.resolve("ARCHITECTURE.md"))) {
      folder = folder.getParent();
    }
    return folder == null ? Path.of("") : folder;
  }
}
