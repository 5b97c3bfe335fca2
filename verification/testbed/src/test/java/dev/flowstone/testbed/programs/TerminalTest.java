// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs that go on are closed as a user would close them, and are gone then. */
class TerminalTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final Duration SHORT = Duration.ofSeconds(2);
  private static final Duration NEXT_TO_NONE = Duration.ofMillis(50);

  private static final String GO_ON = "echo it is $$; while true; do sleep 0.02 || true; done";

  @TempDir private Path folder;

  private Terminal open(String commands) throws Exception {
    Terminal terminal = Terminal.open(folder, folder, commands);
    terminal.awaitWords("it is ");
    return terminal;
  }

  @Test
  void shouldLetAProgramCleanUp() throws Exception {
    open("trap 'touch clean; exit 1' INT; " + GO_ON).end(LONG);
    assertThat(folder.resolve("clean")).exists();
  }

  /** As a demo that keeps what it found when the traffic has ended. */
  @Test
  void shouldAskAgainWhereAProgramGoesOn() throws Exception {
    open("trap 'trap \"touch clean; exit 1\" INT' INT; " + GO_ON).end(SHORT);
    assertThat(folder.resolve("clean")).exists();
  }

  @Test
  void shouldKillWhatDoesNotEnd() throws Exception {
    Terminal deaf = open("trap '' INT; " + GO_ON);
    deaf.end(NEXT_TO_NONE);
    deaf.awaitEnd(); // fails where there is anything to wait for: what it showed is gone
  }
}
