// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.processes.JavaProgram;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StatusFileTest {
  @TempDir private Path folder;

  @Test
  void shouldSayOnceThatItCannotBeWrittenAndTryAgain() throws Exception {
    StatusFile status = new StatusFile(folder.resolve("missing/status"));
    List<SupervisedProcess> processes =
        List.of(new SupervisedProcess(JavaProgram.of("child", "Nothing", List.of()), folder));
    assertThat(status.update(processes).orElseThrow()).startsWith("cannot write ");
    assertThat(status.update(processes)).as("said already").isEmpty();
    assertThat(status.read()).isEmpty();
    Files.createDirectory(folder.resolve("missing"));
    assertThat(status.update(processes)).isEmpty();
    assertThat(status.read()).containsExactly("child is down");
  }
}
