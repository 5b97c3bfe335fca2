// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where the project's pages are. */
final class Pages {
  static final Path ROOT = root();

  private Pages() {}

  private static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("ARCHITECTURE.md"))) {
      folder = folder.getParent();
    }
    return folder;
  }
}
