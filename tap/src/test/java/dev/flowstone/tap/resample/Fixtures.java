// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.resample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The captures in {@code traffic/captures}. */
final class Fixtures {
  private Fixtures() {}

  static List<Path> all() {
    try (Stream<Path> files = Files.list(folder())) {
      List<Path> captures =
          files.filter(file -> file.toString().endsWith(".pcap")).sorted().toList();
      assertThat(captures).hasSize(6);
      return captures;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Path named(String name) {
    return folder().resolve(name + ".pcap");
  }

  private static Path folder() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("ARCHITECTURE.md"))) {
      folder = folder.getParent();
    }
    return folder.resolve("traffic/captures");
  }
}
