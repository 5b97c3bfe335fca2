// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.JavaProgram;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a tap does when its interface goes down, away, and comes back. Needs root; skips without.
 */
class LiveInterfaceTest {
  private static final int RETIRE_MS = 10;

  /** Time enough to remove an interface. */
  private static final int LONGEST_RETIRE_MS = 1000;

  private static final int DATAGRAMS = 7;

  @TempDir Path folder;

  private ChildProcess tap(NetworkNamespace network, String... more) throws IOException {
    return LiveTap.start(network, folder, more);
  }

  private ChildProcess probe(NetworkNamespace network, int retireMs) throws IOException {
    return LiveTap.start(
        network,
        JavaProgram.of("probe", LiveProbe.class.getName(), List.of(Integer.toString(retireMs))),
        ChildOutput.answeringBeside(folder));
  }

  private static String ask(ChildProcess probe, String question) throws IOException {
    probe.input().write((question + "\n").getBytes(StandardCharsets.UTF_8));
    probe.input().flush();
    return probe.answers().readLine();
  }

  private Path report() {
    return LiveTap.report(folder);
  }

  @Test
  void shouldEndWithTheInterfacesNameWhenItGoesAway() throws Exception {
    try (NetworkNamespace network = NetworkNamespace.make().withInterface();
        ChildProcess tap = tap(network)) {
      LiveTap.awaitLine(tap, "live probe0 ->");
      network.removeInterface();
      assertThat(LiveTap.status(tap)).isEqualTo(1);
      assertThat(tap.errors())
          .contains("flowstone: interface probe0 went away")
          .contains("--wait-for-interface");
    }
  }

  @Test
  void shouldWaitForItWhenAskedAndSurviveThatItIsDown() throws Exception {
    try (NetworkNamespace network = NetworkNamespace.make();
        ChildProcess tap = tap(network, "--wait-for-interface")) {
      LiveTap.awaitLine(tap, "there is no interface probe0 yet; waiting for it");
      network.makeInterface();
      LiveTap.awaitLine(tap, "interface probe0 is there; capturing");
      network.setDown();
      LiveTap.awaitLine(tap, "interface probe0 is down");
      network.setUp();
      LiveTap.awaitLine(tap, "interface probe0 is up again");
      network.removeInterface();
      LiveTap.awaitLine(tap, "interface probe0 went away; waiting for it");
      network.makeInterface();
      LiveTap.awaitLines(tap, "interface probe0 is there; capturing", 2);
      network.send(5);
      tap.input().close();
      assertThat(LiveTap.status(tap)).isZero();
      assertThat(Files.readString(report()))
          .contains("\"INTERFACE_AWAY\": 2")
          .containsPattern("\"source_wire_bytes\": [1-9]");
    }
  }

  @Test
  void shouldCountFramesThatAreSeveralPackets() throws Exception {
    try (NetworkNamespace network = NetworkNamespace.make().withInterface();
        ChildProcess tap = tap(network)) {
      LiveTap.awaitCapture(tap, folder);
      network.send(3);
      network.sendMerged(5, 1000);
      tap.input().close();
      assertThat(LiveTap.status(tap)).isZero();
      assertThat(Files.readString(report())).contains("\"ABOVE_MTU\": 1");
    }
  }

  /** The kernel hands them over when the MTU is the usual one again. */
  @Test
  void shouldNotTakeALongestFrameWithTwoTagsForSeveralPackets() throws Exception {
    try (NetworkNamespace network = NetworkNamespace.make().withInterface();
        ChildProcess probe = probe(network, LONGEST_RETIRE_MS)) {
      ask(probe, "packets");
      network.sendDoubleTagged(1522, 1523);
      ask(probe, "looks in a second");
      assertThat(ask(probe, "merged")).isEqualTo("1");
    }
  }

  @Test
  void shouldNameTheCommandThatShowsSinglePackets() throws Exception {
    try (NetworkNamespace network = NetworkNamespace.make().withInterface();
        ChildProcess tap = tap(network)) {
      LiveTap.awaitLine(tap, "live probe0 ->");
      tap.input().close();
      assertThat(LiveTap.status(tap)).isZero();
      assertThat(tap.errors())
          .containsPattern("for single packets: ethtool -K probe0 .*tso off gso off");
    }
  }

  @Test
  void shouldSayThatAnInterfaceHasNoClock() throws Exception {
    try (NetworkNamespace network = NetworkNamespace.make().withInterface();
        ChildProcess tap = tap(network, "--timestamps", "hardware")) {
      assertThat(LiveTap.status(tap)).isEqualTo(1);
      assertThat(tap.errors())
          .contains("flowstone: interface probe0 cannot be made to stamp packets in hardware")
          .contains("ethtool -T probe0");
    }
  }

  /** The kernel still holds them, in a block that it hands over when its time is up. */
  @Test
  void shouldReadWhatCameJustBeforeTheInterfaceWentAway() throws Exception {
    try (NetworkNamespace network = NetworkNamespace.make().withInterface();
        ChildProcess probe = probe(network, LONGEST_RETIRE_MS)) {
      ask(probe, "packets");
      network.send(DATAGRAMS);
      network.removeInterface();
      int packets = 0;
      for (String more = ask(probe, "packets"); more != null; more = ask(probe, "packets")) {
        packets += Integer.parseInt(more);
      }
      assertThat(packets).isGreaterThanOrEqualTo(DATAGRAMS);
      assertThat(LiveTap.status(probe)).isEqualTo(1);
      assertThat(probe.errors()).contains("interface probe0 went away");
    }
  }

  /** Nobody knows what an interface that is down would have shown. */
  @Test
  void shouldTellNoIdleTimeWhileItIsDown() throws Exception {
    try (NetworkNamespace network = NetworkNamespace.make().withInterface();
        ChildProcess probe = probe(network, RETIRE_MS)) {
      ask(probe, "packets");
      assertThat(ask(probe, "idle clock")).isEqualTo("tells");
      network.setDown();
      ask(probe, "looks in a second");
      assertThat(ask(probe, "idle clock")).isEqualTo("silent");
      network.setUp();
      ask(probe, "looks in a second");
      assertThat(ask(probe, "idle clock")).isEqualTo("tells");
    }
  }

  @Test
  void shouldNotSpinWhileItIsDown() throws Exception {
    try (NetworkNamespace network = NetworkNamespace.make().withInterface();
        ChildProcess probe = probe(network, RETIRE_MS)) {
      ask(probe, "packets");
      network.setDown();
      assertThat(Integer.parseInt(ask(probe, "looks in a second")))
          .as("each waits for %d ms or longer", RETIRE_MS)
          .isLessThan(2 * 1000 / RETIRE_MS);
    }
  }
}
