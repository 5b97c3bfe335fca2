// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What a page in the project has where it should have something else. */
final class Difference {
  private Difference() {}

  /** The first of them, for whoever has to mend it; empty: there is none. */
  static Optional<String> of(Page page, Project project) {
    Path file = project.root().resolve(page.path());
    if (!Files.exists(file)) {
      return Optional.of(page.path() + " is missing; write it with: " + Page.COMMAND);
    }
    String text = Project.read(file);
    return text.equals(page.text()) ? Optional.empty() : Optional.of(first(page, text));
  }

  private static String first(Page page, String text) {
    List<String> has = text.lines().toList();
    List<String> wanted = page.text().lines().toList();
    int line = 0;
    while (line < has.size() && line < wanted.size() && has.get(line).equals(wanted.get(line))) {
      line++;
    }
    return "%s:%d differs from the code%n  it says  %s%n  the code %s%nwrite it anew with: %s"
        .formatted(page.path(), line + 1, at(has, line), at(wanted, line), Page.COMMAND);
  }

  private static String at(List<String> lines, int line) {
    return line < lines.size() ? lines.get(line) : "(nothing more)";
  }
}
