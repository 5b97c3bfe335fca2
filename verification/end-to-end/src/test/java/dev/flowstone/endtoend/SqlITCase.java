// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.harness.DemoAddresses;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.processes.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./flowstone sql} on a cluster of its own, with connectors as any Flink takes them. */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SqlITCase {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Path ROOT = ProjectRoot.find();
  private static final String WHOLE = "/*+ OPTIONS('bounded' = 'true', 'start' = 'oldest') */";

  /** Folder of rings in the page's example that has one, and what is shown there. */
  private static final String RINGS = "/dev/shm/flowstone";

  private static final String ANSWER = "|     363 |   23 |";

  @TempDir private static Path folder;
  private ScratchFolder rings;
  private DeploymentCommands commands;
  private String web;

  @BeforeAll
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
    web = SaidWords.web(commands.cluster("start", "--web-port", "0", "--slots", "2"));
  }

  @AfterAll
  void end() throws Exception {
    commands.cluster("stop");
    rings.close();
  }

  private Path configuration() {
    return commands.state().resolve("cluster/conf");
  }

  private ChildProcess sql(Path configuration, String... arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of("--rings", rings.path().toString()));
    all.addAll(List.of(arguments));
    return SqlProgram.start(folder, commands.state(), configuration, all);
  }

  @Test
  @Order(0)
  void shouldAnswerOverLivePacketsAndCountsOnTheFlinkThatIsNamed() throws Exception {
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
    try (ChildProcess sql =
        sql(ROOT.resolve("flink-conf"), "--flink", web, "-f", script.toString())) {
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

  /** Who names no Flink asks the cluster that runs here. */
  @Test
  @Order(1)
  void shouldTalkToWhoeverTypesInATerminal() throws Exception {
    String command =
        "./flowstone sql --so-far --set sql-client.execution.result-mode=tableau --rings "
            + rings.path();
    try (Terminal terminal =
        SqlPage.type(
            commands.state(),
            "script -qefc 'stty rows 50 cols 200; %s' /dev/null".formatted(command),
            "TERM=xterm")) {
      terminal.awaitWords("Flink SQL");
      terminal.type(
          "SELECT COUNT(*) AS packets, COUNT(*) FILTER (WHERE syn) AS syns FROM packets;");
      terminal.awaitWords(ANSWER);
      terminal.type("QUIT;");
      terminal.requireSuccess();
    }
    assertThat(commands.state().resolve("sql-history")).content().contains("COUNT(*) AS packets");
  }

  /** Also where a demo runs: this one's Flink would not answer. */
  @Test
  @Order(2)
  void shouldAnswerAsThePageShowsOnTheFlinkOfTheUsersConfiguration() throws Exception {
    List<String> examples =
        SqlPage.examples().stream().filter(each -> each.contains(" --rings ")).toList();
    assertThat(examples).hasSize(1);
    assertThat(ROOT.resolve("docs/sql.md")).content().contains(ANSWER);
    Path demo = commands.state().resolve("demo.json");
    demoWithoutFlink().write(demo);
    try (Terminal terminal =
        SqlPage.type(
            commands.state(),
            examples.getFirst().replace(RINGS, rings.path().toString()),
            "FLINK_CONF_DIR=" + configuration())) {
      terminal.requireSuccess();
      terminal.awaitWords("asking the Flink of FLINK_CONF_DIR, not the demo that runs here");
      terminal.awaitWords(ANSWER);
    } finally {
      Files.delete(demo);
    }
  }

  private static DemoAddresses demoWithoutFlink() {
    return new DemoAddresses(
        ProcessHandle.current().pid(),
        "http://localhost:1",
        "localhost:1",
        "packets",
        "results",
        null,
        null,
        RINGS);
  }

  @Test
  @Order(3)
  void shouldSayWhatIsWrong() throws Exception {
    try (ChildProcess sql = sql(configuration(), "-e", "SELECT nosuch FROM packets")) {
      assertThat(Programs.awaitStatus(sql, LIMIT)).as(Programs.said(sql)).isEqualTo(1);
      assertThat(Programs.said(sql)).contains("Column 'nosuch' not found");
    }
    commands.cluster("stop");
    try (ChildProcess sql = sql(configuration(), "-e", "SELECT * FROM packets")) {
      assertThat(Programs.awaitStatus(sql, LIMIT)).as(Programs.said(sql)).isEqualTo(1);
      assertThat(sql.errors()).contains("no Flink answers at http://localhost:");
    }
  }
}
