// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.processes.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./flowstone sql} on a cluster of its own, with connectors as any Flink takes them. */
@Timeout(300)
class SqlITCase {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Path ROOT = ProjectRoot.find();
  private static final String WHOLE = "/*+ OPTIONS('bounded' = 'true', 'start' = 'oldest') */";

  @TempDir private Path folder;
  private ScratchFolder rings;
  private DeploymentCommands commands;

  @BeforeEach
  void begin() throws Exception {
    rings = ScratchFolder.inMemory("sql");
    commands = new DeploymentCommands(folder);
    String capture = ROOT.resolve("traffic/captures/web-http.pcap").toString();
    try (ChildProcess tap =
        Programs.run(
            folder,
            "dev.flowstone.tap.command.TapCommand",
            "replay",
            capture,
            "--rings",
            rings.path().toString(),
            "--ring-bytes",
            "1m")) {
      assertThat(tap.end().status()).as(Programs.said(tap)).isZero();
    }
    commands.cluster("start", "--web-port", "0", "--slots", "2");
  }

  @AfterEach
  void end() throws Exception {
    commands.cluster("stop");
    rings.close();
  }

  private ChildProcess sql(String... arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of("--rings", rings.path().toString()));
    all.addAll(List.of(arguments));
    return SqlProgram.start(
        folder, commands.state(), commands.state().resolve("cluster/conf"), all);
  }

  @Test
  void shouldAnswerOverLivePacketsAndCounts() throws Exception {
    Path script =
        Files.writeString(
            folder.resolve("questions.sql"),
            """
            SHOW TABLES;
            DESCRIBE samples;
            SET 'execution.runtime-mode' = 'batch';
            SELECT COUNT(*) AS packets, COUNT(*) FILTER (WHERE syn) AS syns FROM packets %s;
            SELECT SUM(packets) AS packets, SUM(octets) AS octets FROM packet_counts %s;
            SELECT DISTINCT tcp_flags_text(tcp_flags) FROM packets %s WHERE syn AND NOT ack;
            """
                .formatted(WHOLE, WHOLE, WHOLE));
    try (ChildProcess sql = sql("-f", script.toString())) {
      Programs.requireSuccess(sql, LIMIT);
      assertThat(sql.output())
          .contains(" packets |", " packet_counts |", " histograms |", " stages |")
          .containsPattern(" flow_hash \\| +BIGINT ")
          .containsPattern(" weight \\| +BIGINT .*value.weight")
          .containsPattern("\\| +363 \\| +23 \\|")
          .containsPattern("\\| +363 \\| +253758 \\|")
          .containsPattern("\\| +SYN \\|");
    }
  }

  @Test
  void shouldSayWhatIsWrong() throws Exception {
    try (ChildProcess sql = sql("-e", "SELECT nosuch FROM packets")) {
      assertThat(Programs.awaitStatus(sql, LIMIT)).as(Programs.said(sql)).isEqualTo(1);
      assertThat(Programs.said(sql)).contains("Column 'nosuch' not found");
    }
    commands.cluster("stop");
    try (ChildProcess sql = sql("-e", "SELECT * FROM packets")) {
      assertThat(Programs.awaitStatus(sql, LIMIT)).as(Programs.said(sql)).isEqualTo(1);
      assertThat(sql.errors()).contains("no Flink answers at http://localhost:");
    }
  }
}
