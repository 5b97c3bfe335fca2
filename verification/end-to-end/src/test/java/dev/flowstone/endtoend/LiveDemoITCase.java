// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.flowstone.testbed.programs.DemoProcess;
import dev.flowstone.testbed.programs.Programs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo on a network interface of its own. Needs root; skips without. */
class LiveDemoITCase {
  private static final int STOPPED_BY_CTRL_C = 130;

  private final String network = "flowstone-demo-" + ProcessHandle.current().pid();

  @TempDir private Path folder;

  @BeforeEach
  void makeNetwork() throws Exception {
    assumeTrue(
        succeeds("ip", "netns", "add", network),
        "SKIPPED: no network namespace can be made; run as root, with iproute2");
    ip("link", "set", "lo", "up");
    ip("link", "add", "probe0", "type", "veth", "peer", "name", "probe1");
  }

  @AfterEach
  void removeNetwork() throws Exception {
    succeeds("ip", "netns", "del", network);
  }

  private void ip(String... arguments) throws InterruptedException {
    String[] command =
        Stream.concat(Stream.of("ip", "-n", network), Stream.of(arguments)).toArray(String[]::new);
    assertThat(succeeds(command)).isTrue();
  }

  private static boolean succeeds(String... command) throws InterruptedException {
    try {
      return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
    } catch (IOException noSuchProgram) {
      return false;
    }
  }

  @Test
  @Tag("slow")
  void shouldTellWhyNoPacketComes() throws Exception {
    try (DemoProcess demo =
        new DemoProcess(
            folder,
            program ->
                program.withLauncher(
                    "ip",
                    "netns",
                    "exec",
                    network,
                    "env",
                    "--default-signal=INT",
                    "FLOWSTONE_STATE=" + Programs.state(folder)),
            "--live",
            "probe0")) {
      demo.awaitNoPackets();
      demo.awaitWords("warning: interface probe0 is down");
      demo.interrupt();
      assertThat(demo.awaitExit()).as(demo.output()).isEqualTo(STOPPED_BY_CTRL_C);
      assertThat(demo.output()).contains("no packet came").contains("interface was away: 1");
      demo.requireNothingLeft();
    }
  }
}
