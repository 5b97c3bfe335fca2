// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.programs;

import java.nio.file.Files;
import java.nio.file.Path;

/** The folder that holds everything: the nearest one above with the launcher in it. */
public final class ProjectRoot {
  private ProjectRoot() {}

  public static Path find() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("ARCHITECTURE.md"))) {
      folder = folder.getParent();
      if (folder == null) {
        throw new IllegalStateException(
            "no ARCHITECTURE.md above " + Path.of("").toAbsolutePath() + "; run in the project");
      }
    }
    return folder;
  }

  /** Where the captures with known answers are expected; they may be absent. */
  public static Path captures() {
    String told = System.getProperty("flowstone.captures");
    return told == null ? find().resolve("../shared/captures").normalize() : Path.of(told);
  }
}
