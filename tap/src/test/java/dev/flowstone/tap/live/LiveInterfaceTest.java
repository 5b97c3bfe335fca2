// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.tap.command.TapCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a tap does when its interface goes down, away, and comes back. Needs root; skips without.
 */
class LiveInterfaceTest {
  private static final long LIMIT_SECONDS = 20;
  private static final long POLL_MS = 20;

  @TempDir Path folder;

  private Process tap(NetworkNamespace network, String... more) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(TapCommand.class.getName(), "live", NetworkNamespace.INTERFACE));
    command.addAll(List.of("--rings", folder.resolve("rings").toString(), "--ring-bytes", "64k"));
    command.addAll(List.of("--report", report().toString(), "--stop-on-stdin-end"));
    command.addAll(List.of(more));
    return network.start(command, errors());
  }

  private Path errors() {
    return folder.resolve("errors");
  }

  private Path report() {
    return folder.resolve("report");
  }

  private void awaitLine(Process tap, String text) throws IOException, InterruptedException {
    awaitLines(tap, text, 1);
  }

  private void awaitLines(Process tap, String text, int times)
      throws IOException, InterruptedException {
    long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
    while (Files.readString(errors()).split(text, -1).length <= times) {
      assertThat(System.nanoTime()).as("until: %s", text).isLessThan(deadlineNs);
      assertThat(tap.isAlive()).as("%s before: %s", Files.readString(errors()), text).isTrue();
      Thread.sleep(POLL_MS);
    }
  }

  private static int status(Process tap) throws InterruptedException {
    try {
      assertThat(tap.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).as("it ends").isTrue();
      return tap.exitValue();
    } finally {
      tap.destroyForcibly();
    }
  }

  @Test
  void shouldEndWithTheInterfacesNameWhenItGoesAway() throws Exception {
    try (NetworkNamespace network = NetworkNamespace.make()) {
      network.makeInterface();
      Process tap = tap(network);
      awaitLine(tap, "live probe0 ->");
      network.removeInterface();
      assertThat(status(tap)).isEqualTo(1);
      assertThat(Files.readString(errors()))
          .contains("flowstone: interface probe0 went away")
          .contains("--wait-for-interface");
    }
  }

  @Test
  void shouldWaitForItWhenAskedAndSurviveThatItIsDown() throws Exception {
    try (NetworkNamespace network = NetworkNamespace.make()) {
      Process tap = tap(network, "--wait-for-interface");
      awaitLine(tap, "there is no interface probe0 yet; waiting for it");
      network.makeInterface();
      awaitLine(tap, "interface probe0 is there; capturing");
      network.setDown();
      awaitLine(tap, "interface probe0 is down");
      network.setUp();
      awaitLine(tap, "interface probe0 is up again");
      network.removeInterface();
      awaitLine(tap, "interface probe0 went away; waiting for it");
      network.makeInterface();
      awaitLines(tap, "interface probe0 is there; capturing", 2);
      network.send(5);
      tap.getOutputStream().close();
      assertThat(status(tap)).isZero();
      assertThat(Files.readString(report()))
          .contains("\"INTERFACE_AWAY\": 2")
          .containsPattern("\"source_wire_bytes\": [1-9]");
    }
  }

  @Test
  void shouldCountFramesThatAreSeveralPackets() throws Exception {
    try (NetworkNamespace network = NetworkNamespace.make()) {
      network.makeInterface();
      Process tap = tap(network);
      awaitLine(tap, "live probe0 ->");
      network.send(3);
      network.sendMerged(5, 1000);
      tap.getOutputStream().close();
      assertThat(status(tap)).isZero();
      assertThat(Files.readString(report())).contains("\"ABOVE_MTU\": 1");
    }
  }

  @Test
  void shouldNameTheCommandThatShowsSinglePackets() throws Exception {
    try (NetworkNamespace network = NetworkNamespace.make()) {
      network.makeInterface();
      Process tap = tap(network);
      awaitLine(tap, "live probe0 ->");
      tap.getOutputStream().close();
      assertThat(status(tap)).isZero();
      assertThat(Files.readString(errors()))
          .containsPattern("for single packets: ethtool -K probe0 .*tso off gso off");
    }
  }
}
