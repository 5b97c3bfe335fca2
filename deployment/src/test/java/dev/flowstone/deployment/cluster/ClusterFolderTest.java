// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.offheap.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterFolderTest {
  @TempDir private Path path;

  /** A killed supervisor leaves its number, which the kernel gives to anybody. */
  @Test
  void shouldNotTakeAnotherProcessForItsSupervisor() throws Exception {
    ClusterFolder folder = new ClusterFolder(path);
    try (FileLock _ = folder.take().orElseThrow()) {
      assertThat(folder.isSupervised()).isTrue();
      assertThat(folder.supervisor()).as("this test has the lock, and is none").isEmpty();
    }
  }

  @Test
  void shouldKnowItsSupervisorByItsCommandLine() throws Exception {
    ClusterFolder folder = new ClusterFolder(path);
    Process likeOne =
        new ProcessBuilder("bash", "-c", "read", "x".repeat(8_000), Supervisor.class.getName())
            .start();
    try (FileLock _ = folder.take().orElseThrow()) {
      Files.writeString(path.resolve("supervisor.pid"), Long.toString(likeOne.pid()));
      assertThat(folder.supervisor()).contains(likeOne.toHandle());
      folder.forgetSupervisor();
      assertThat(folder.supervisor()).isEmpty();
    } finally {
      likeOne.destroyForcibly().waitFor();
    }
  }
}
