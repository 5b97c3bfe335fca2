// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where the project is, whichever directory the tests run in. */
final class ProjectRoot {
  private ProjectRoot() {}

  static Path find() {
    Path directory = Path.of("").toAbsolutePath();
    while (!Files.isRegularFile(directory.resolve("hw/abi/packet-record.yaml"))) {
      directory = directory.getParent();
      if (directory == null) {
        throw new IllegalStateException("no hw/abi above " + Path.of("").toAbsolutePath());
      }
    }
    return directory;
  }
}
