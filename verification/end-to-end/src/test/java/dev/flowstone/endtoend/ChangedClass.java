// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A class of the project with one mistake put into it, to see whether anybody notices. */
final class ChangedClass {
  private ChangedClass() {}

  /** Compiles the source with one place changed; returns the folder to put before all others. */
  static Path compile(Path folder, String source, String place, String replacement)
      throws IOException {
    Path original = ProjectRoot.find().resolve(source);
    String text = Files.readString(original);
    assertThat(text).as("the place to change in %s", source).containsOnlyOnce(place);
    Path changed = Files.createDirectories(folder.resolve("changed"));
    Path file = changed.resolve(original.getFileName().toString());
    Files.writeString(file, text.replace(place, replacement));
    CompiledSource.in(changed, file);
    return changed;
  }
}
