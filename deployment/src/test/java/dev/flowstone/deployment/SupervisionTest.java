// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.offheap.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SupervisionTest {
  @TempDir private Path path;
  private Supervision supervision;

  @BeforeEach
  void supervise() {
    supervision = new Supervision(path, path.resolve("log"), SupervisionTest.class);
  }

  /** A killed supervisor leaves its number, which the kernel gives to anybody. */
  @Test
  void shouldNotTakeAnotherProcessForItsSupervisor() throws Exception {
    try (FileLock _ = supervision.take().orElseThrow()) {
      assertThat(supervision.isActive()).isTrue();
      assertThat(supervision.process())
          .as("this test has the lock, and is not a supervisor")
          .isEmpty();
    }
  }

  @Test
  void shouldKnowItsSupervisorByItsCommandLine() throws Exception {
    Process likeOne =
        new ProcessBuilder("bash", "-c", "read", "x".repeat(8_000), SupervisionTest.class.getName())
            .start();
    try (FileLock _ = supervision.take().orElseThrow()) {
      Files.writeString(path.resolve("supervisor.pid"), Long.toString(likeOne.pid()));
      assertThat(supervision.process()).contains(likeOne.toHandle());
      supervision.forget();
      assertThat(supervision.process()).isEmpty();
    } finally {
      likeOne.destroyForcibly().waitFor();
    }
  }
}
