// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** No test, and run by hand alone: writes the pages, as CONTRIBUTING.md says. */
class WriteReference {
  @Test
  @EnabledIfSystemProperty(named = "flowstone.reference", matches = "write")
  void write() throws Exception {
    Project project = Project.find();
    for (Page page : Reference.allPages(project)) {
      Path file = project.root().resolve(page.path());
      Files.createDirectories(file.getParent());
      Files.writeString(file, page.text());
    }
  }
}
