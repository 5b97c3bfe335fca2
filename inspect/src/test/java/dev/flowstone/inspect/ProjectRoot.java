// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where the project is that this is a part of. */
final class ProjectRoot {
  private ProjectRoot() {}

  static Path find() {
    Path folder = Path.of("").toAbsolutePath();
    while (folder.getParent() != null && !Files.exists(folder.resolve("ARCHITECTURE.md"))) {
      folder = folder.getParent();
    }
    return folder;
  }
}
