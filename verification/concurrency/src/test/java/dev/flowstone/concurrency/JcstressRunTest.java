// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.concurrency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JcstressRunTest {
  @TempDir private Path folder;

  @Test
  void shouldLeaveNothingRunningWhenItIsInterrupted() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> JcstressRun.run(folder, List.of(), 60, JcstressRun.QUICK))
        .isInstanceOf(InterruptedException.class);
    assertThat(ProcessHandle.current().children()).isEmpty();
  }
}
