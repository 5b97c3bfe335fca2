// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.processes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClassPathListTest {
  @TempDir private Path folder;

  @Test
  void shouldTakePathsRelativeToTheList() throws IOException {
    Path list = Files.createDirectories(folder.resolve("demo/target")).resolve("list");
    Files.writeString(list, "/repository/a.jar:../../lib/b.jar\n");
    assertThat(ClassPathList.read(list))
        .isEqualTo("/repository/a.jar:" + folder.resolve("lib/b.jar"));
  }
}
