// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.testbed.programs.Programs;
import dev.flowstone.testbed.rings.AwaitedRings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * No test, and run by hand alone: keeps a savepoint of this version, as the README beside the kept
 * ones says. What it tells before and after must be what an undisturbed job tells, or nothing is
 * kept.
 */
class KeepSavepoint {
  private static final String NAME = "flowstone.keep";
  private static final int RATE = 400;
  private static final int PACKETS = 6_000;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private static final String RULES =
      """
      rules:
        - {name: names, priority: 9, match: {source_port: 53}, function: {histogram: {of: [inter_arrival, packet_size], interval: 4s}}}
        - {name: quic, priority: 8, match: {protocol: udp, source_port: 443}, function: {histogram: {per: flow, lowest: 1ms, highest: 1s, interval: 4s}}}
        - {name: sites, priority: 7, match: {protocol: udp}, function: {histogram: {of: [packet_size], per: destination_prefix, ipv4_bits: 8, interval: 4s}}}
        - name: opened
          priority: 6
          match: {protocol: tcp, tcp_flags: syn and not ack}
          function:
            anomaly:
              - {detect: syn_flood, threshold: 1, window: 2s, baseline: {times: 2, half_life: 4s}}
              - {detect: host_scan, threshold: 1, window: 4s, slide: 1s}
        - {name: closed, priority: 5, match: {protocol: tcp, tcp_flags: 1/1}, function: {user: {class: dev.flowstone.endtoend.CountedSeconds, options: {seconds: "4"}}}}
        - {name: web, priority: 4, match: {protocol: tcp, source_port: 443}, function: {aggregate: {active_timeout: 6s, idle_timeout: 3s}}}
        - {name: pings, priority: 3, match: {protocol: icmp}, function: drop}
        - {name: acknowledgements, priority: 2, match: {protocol: tcp, destination_port: 443}, function: {sample: {one_in: 7}}}
      default: {function: {sample: {one_in: 5, by: flows}}}
      """;

  @TempDir private Path folder;

  @Test
  @EnabledIfSystemProperty(named = NAME, matches = "[a-z0-9.-]+")
  void keep() throws Exception {
    KeptSavepoint kept = KeptSavepoint.named(System.getProperty(NAME));
    try (ScratchFolder rings = ScratchFolder.inMemory("keep")) {
      Path savepoint;
      List<String> toldBefore;
      try (ChildProcess tap = startTap(rings.path())) {
        AwaitedRings.in(rings.path(), KeptJob.RINGS);
        // So that no packet meets the rules that the job begins with.
        send("STOP", tap);
        try (KeptJob job = KeptJob.byTopic(made("stopped"), rings.path(), RULES)) {
          job.awaitRules();
          send("CONT", tap);
          Thread.sleep(Duration.ofSeconds(PACKETS / RATE / 2));
          savepoint = job.stop();
          toldBefore = job.told();
        }
        Programs.requireSuccess(tap, LIMIT);
      }
      try (KeptJob job = KeptJob.byFile(made("undisturbed"), rings.path(), RULES)) {
        job.awaitEnd();
        kept.keep(savepoint, rings.path(), RULES, without(job.told(), toldBefore));
      }
    }
  }

  private Path made(String name) throws IOException {
    return Files.createDirectory(folder.resolve(name));
  }

  private static List<String> without(List<String> all, List<String> before) {
    List<String> rest = new ArrayList<>(all);
    for (String line : before) {
      assertThat(rest.remove(line)).as("the undisturbed job told, too: %s", line).isTrue();
    }
    for (String told : List.of(before.toString(), rest.toString())) {
      assertThat(told)
          .contains("\"syn_window\"", "\"alert\"", "\"histogram\"", "\"per\":\"flow\"")
          .contains("\"per\":\"destination_prefix\"", "\"flow_record\"", CountedSeconds.KIND)
          .contains("\"weight\": 5", "\"weight\": 7");
    }
    return rest;
  }

  private ChildProcess startTap(Path rings) throws IOException {
    List<String> arguments =
        List.of(
            "synthetic",
            "--rate",
            "" + RATE,
            "--packets",
            "" + PACKETS,
            "--flows",
            "200",
            "--rings",
            rings.toString(),
            "--ring-count",
            "" + KeptJob.RINGS,
            "--ring-bytes",
            "512k",
            "--when-full",
            "wait",
            "--wait-for-reader");
    return ChildProcess.start(
        Programs.of(folder, "tap", "dev.flowstone.tap.command.TapCommand", arguments)
            .withJvmOptions("-Xmx256m", "-XX:+UseSerialGC"),
        ChildOutput.gatheredIn(folder));
  }

  private static void send(String signal, ChildProcess process) throws Exception {
    String[] command = {"kill", "-" + signal, "" + process.handle().pid()};
    assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
  }
}
