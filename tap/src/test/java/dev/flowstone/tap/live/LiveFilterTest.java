// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.processes.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the kernel lets through to a tap, and to which of its threads, beside what it lets through
 * to tcpdump at the same time. Needs root; skips without.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LiveFilterTest {
  private static final Pattern BY_THREAD = Pattern.compile("by thread: (\\d+), (\\d+)\\R");
  private static final long POLL_MS = 20;

  @TempDir Path folder;

  /** tcpdump on the same interface; closed by who started it. */
  private final class Oracle implements AutoCloseable {
    private final Process process;
    private final Path printed = folder.resolve("tcpdump.out");
    private final Path said = folder.resolve("tcpdump.err");

    Oracle(NetworkNamespace network, String filter) throws IOException, InterruptedException {
      List<String> command = new ArrayList<>(List.of(network.launcher()));
      command.addAll(List.of("tcpdump", "-n", "-i", NetworkNamespace.INTERFACE));
      command.addAll(List.of("-q", "-l", "-s", "128", "--immediate-mode", filter));
      process =
          new ProcessBuilder(command)
              .redirectError(said.toFile())
              .redirectOutput(printed.toFile())
              .start();
      while (!Files.readString(said).contains("listening on")) {
        assertThat(process.isAlive()).as(Files.readString(said)).isTrue();
        Thread.sleep(POLL_MS);
      }
    }

    /** Waits until it has seen so many, and a moment more. */
    long captured(int expected) throws IOException, InterruptedException {
      while (lines() < expected) {
        Thread.sleep(POLL_MS);
      }
      Thread.sleep(10 * POLL_MS);
      return lines();
    }

    private long lines() throws IOException {
      try (Stream<String> lines = Files.lines(printed)) {
        return lines.count();
      }
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }

  private static void requireTcpdump() {
    assumeTrue(
        Files.isExecutable(Path.of("/usr/bin/tcpdump"))
            || Files.isExecutable(Path.of("/usr/sbin/tcpdump")),
        "SKIPPED: no tcpdump; apt-get install tcpdump");
  }

  private long packets() throws IOException {
    return new ObjectMapper()
        .readTree(LiveTap.report(folder).toFile())
        .get("source_packets")
        .asLong();
  }

  private static void end(ChildProcess tap) throws IOException, InterruptedException {
    tap.input().close();
    assertThat(LiveTap.status(tap)).as(tap.errors()).isZero();
  }

  /** Two threads, so that each packet must come to one of them, and each flow to one only. */
  @Test
  void shouldCaptureWhatTcpdumpDoesWithTheSameFilter() throws Exception {
    requireTcpdump();
    try (NetworkNamespace network = NetworkNamespace.make().withInterface();
        ChildProcess tap =
            LiveTap.start(network, folder, "--filter", "udp port 9", "--threads", "2");
        Oracle oracle = new Oracle(network, "udp port 9")) {
      LiveTap.awaitCapture(tap, folder);
      // In turns, a thread would get half of them: 31 or 32, no whole flows.
      network.sendFlows(9, 21, 3);
      network.sendTo(10, 40);
      assertThat(oracle.captured(63)).isEqualTo(63);
      end(tap);
      assertThat(packets()).isEqualTo(63);
      Matcher byThread = BY_THREAD.matcher(tap.errors());
      assertThat(byThread.find()).as(tap.errors()).isTrue();
      int ofFirst = Integer.parseInt(byThread.group(1));
      assertThat(ofFirst).isBetween(3, 60);
      assertThat(ofFirst % 3).as("whole flows").isZero();
      assertThat(ofFirst + Integer.parseInt(byThread.group(2))).isEqualTo(63);
      assertThat(Files.readString(LiveTap.report(folder)))
          .as("what is filtered out is no loss")
          .contains("\"lost_before_tap\": 0");
    }
  }

  /** The kernel has taken the tag out of the frame when the filter sees it. */
  @Test
  void shouldTakeAProgramForTagsThatTcpdumpMade() throws Exception {
    requireTcpdump();
    try (NetworkNamespace network = NetworkNamespace.make().withInterface()) {
      Path program = folder.resolve("program");
      List<String> make = new ArrayList<>(List.of(network.launcher()));
      make.addAll(List.of("tcpdump", "-i", NetworkNamespace.INTERFACE, "-ddd", "vlan 5"));
      new ProcessBuilder(make).redirectOutput(program.toFile()).start().waitFor();
      try (ChildProcess tap =
              LiveTap.start(network, folder, "--filter-program", program.toString());
          Oracle oracle = new Oracle(network, "vlan 5")) {
        LiveTap.awaitCapture(tap, folder);
        network.receiveTagged(5, 7);
        network.receiveTagged(6, 3);
        network.sendTo(9, 2);
        assertThat(oracle.captured(7)).isEqualTo(7);
        end(tap);
        assertThat(packets()).isEqualTo(7);
      }
    }
  }

  /** As the service has it; root without its other rights is no more than anybody. */
  @Test
  void shouldNeedNoOtherRightThanToOpenPacketSockets() throws Exception {
    assumeTrue(
        Files.isExecutable(Path.of("/usr/bin/setpriv")),
        "SKIPPED: no setpriv; apt-get install util-linux");
    try (NetworkNamespace network = NetworkNamespace.make().withInterface()) {
      try (ChildProcess tap = startWith(network, "-all,+net_raw")) {
        LiveTap.awaitCapture(tap, folder);
        network.sendTo(9, 5);
        end(tap);
        assertThat(packets()).isGreaterThanOrEqualTo(5);
      }
      try (ChildProcess tap = startWith(network, "-all")) {
        assertThat(LiveTap.status(tap)).isEqualTo(1);
        assertThat(tap.errors())
            .startsWith("flowstone: live capture needs the capability CAP_NET_RAW");
      }
    }
  }

  private ChildProcess startWith(NetworkNamespace network, String capabilities) throws IOException {
    List<String> launcher = new ArrayList<>(List.of(network.launcher()));
    launcher.addAll(List.of("setpriv", "--inh-caps", capabilities, "--bounding-set", capabilities));
    return LiveTap.start(
        LiveTap.program(folder).withLauncher(launcher.toArray(String[]::new)), folder);
  }
}
