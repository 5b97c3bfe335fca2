// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.processes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClassArchiveTest {
  @TempDir private Path folder;
  private Path archive;

  @BeforeEach
  void createArchive() throws IOException {
    archive = Files.createFile(folder.resolve("tap-1.jsa"));
  }

  private String jar(String name) {
    return folder.resolve(name).toString();
  }

  @Test
  void shouldUseTheArchiveBesideTheFirstJar() {
    assertThat(ClassArchive.options(jar("tap-1.jar") + ":" + jar("other.jar")))
        .contains("-XX:SharedArchiveFile=" + archive, "-Xshare:auto");
  }

  @Test
  void shouldUseNoArchiveOfALaterJar() {
    assertThat(ClassArchive.options(jar("other.jar") + ":" + jar("tap-1.jar"))).isEmpty();
  }

  @Test
  void shouldUseNoArchiveForAFolder() {
    assertThat(ClassArchive.options(jar("tap-1") + ":" + jar("tap-1.jar"))).isEmpty();
  }
}
