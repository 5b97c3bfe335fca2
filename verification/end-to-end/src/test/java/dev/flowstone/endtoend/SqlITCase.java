// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.harness.DemoAddresses;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.Patience;
import dev.flowstone.processes.Signal;
import dev.flowstone.testbed.docs.SqlPage;
import dev.flowstone.testbed.flink.DeploymentCommands;
import dev.flowstone.testbed.flink.FlinkRest;
import dev.flowstone.testbed.programs.Programs;
import dev.flowstone.testbed.programs.ProjectRoot;
import dev.flowstone.testbed.programs.SaidWords;
import dev.flowstone.testbed.programs.SqlProgram;
import dev.flowstone.testbed.programs.Terminal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./flowstone sql} on a cluster that {@code ./flowstone cluster} started. */
@Tag("sql")
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SqlITCase {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(100);
  private static final Path ROOT = ProjectRoot.find();
  private static final String WHOLE = "/*+ OPTIONS('end' = 'end_of_tap', 'start' = 'oldest') */";
  private static final String CTRL_C = "\u0003";
  private static final String ROW = "| +I |";

  /** Folder of rings in the page's example that has one, and the answer there. */
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

  /**
   * Without the name of a Flink, the client uses the cluster that runs here. The shell of the
   * terminal is replaced by the client: some shells end with 130 after Ctrl-C, whatever the client
   * ends with.
   */
  @Test
  void shouldTalkToAUserInATerminal() throws Exception {
    try (ScratchFolder live = ScratchFolder.inMemory("sql-live");
        ChildProcess _ = liveTap(live.path());
        Terminal terminal =
            SqlPage.type(
                commands.state(),
                ("script -qefc 'stty rows 50 cols 200; exec ./flowstone sql"
                        + " --set sql-client.execution.result-mode=tableau --rings %s' /dev/null")
                    .formatted(rings.path()),
                "TERM=xterm")) {
      terminal.awaitWords("Flink SQL");
      terminal.type("SET 'execution.runtime-mode' = 'batch';");
      terminal.type(
          "SELECT COUNT(*) AS packets, COUNT(*) FILTER (WHERE syn) AS syns FROM packets %s;"
              .formatted(WHOLE));
      terminal.awaitWords(ANSWER);
      terminal.type("SET 'execution.runtime-mode' = 'streaming';");
      terminal.type(
          "SELECT frame_length FROM packets /*+ OPTIONS('rings' = '%s') */;"
              .formatted(live.path()));
      terminal.awaitWords(ROW);
      terminal.press(CTRL_C);
      terminal.awaitWords("Query terminated");
      terminal.type("SELECT nosuch FROM packets;");
      terminal.awaitWords("Column 'nosuch' not found");
      terminal.type("QUIT;");
      terminal.requireSuccess();
    }
    assertThat(commands.state().resolve("sql-history")).content().contains("COUNT(*) AS packets");
  }

  /** On the Flink that is named. */
  @Test
  void shouldAnswerOverLivePacketsUntilCtrlC() throws Exception {
    try (ScratchFolder live = ScratchFolder.inMemory("sql-live");
        ChildProcess _ = liveTap(live.path());
        ChildProcess sql =
            SqlProgram.start(
                folder,
                commands.state(),
                ROOT.resolve("flink-conf"),
                List.of(
                    "--flink",
                    web,
                    "--rings",
                    live.path().toString(),
                    "-e",
                    "SELECT frame_length FROM packets"))) {
      Patience patience = new Patience(LIMIT);
      while (!sql.output().contains(ROW)) {
        assertThat(sql.awaitEnd(POLL_INTERVAL)).as(Programs.said(sql)).isFalse();
        assertThat(patience.isOver(sql.work())).as(Programs.said(sql)).isFalse();
      }
      sql.send(Signal.INT);
      assertThat(sql.awaitEnd(LIMIT)).as(Programs.said(sql)).isTrue();
    }
    awaitCancellation();
  }

  private void awaitCancellation() throws Exception {
    try (FlinkRest flink = new FlinkRest(web)) {
      Set<String> states;
      long deadlineNs = System.nanoTime() + LIMIT.toNanos();
      do {
        Thread.sleep(POLL_INTERVAL);
        assertThat(System.nanoTime() - deadlineNs).as("jobs still run").isNegative();
        states = new TreeSet<>(flink.get("/jobs").findValuesAsText("status"));
      } while (!Set.of("CANCELED", "FINISHED").containsAll(states));
      assertThat(states).contains("CANCELED");
    }
  }

  private static ChildProcess liveTap(Path rings) throws Exception {
    return ChildProcess.start(
        Programs.of(
                folder,
                "live-tap",
                "dev.flowstone.tap.command.TapCommand",
                List.of(
                    "synthetic", "--rate", "1k", "--rings", rings.toString(), "--ring-bytes", "1m"))
            .withJvmOptions("-Xmx96m", "-XX:+UseSerialGC"),
        ChildOutput.gatheredIn(folder));
  }

  @Test
  void shouldSayWhatIsWrong() throws Exception {
    try (ChildProcess sql = sql(configuration(), "-e", "SELECT nosuch FROM packets")) {
      assertThat(Programs.awaitStatus(sql, LIMIT)).as(Programs.said(sql)).isEqualTo(1);
      assertThat(Programs.said(sql)).contains("Column 'nosuch' not found");
    }
    try (ChildProcess sql =
        sql(configuration(), "--flink", "http://localhost:1", "-e", "SELECT * FROM packets")) {
      assertThat(Programs.awaitStatus(sql, LIMIT)).as(Programs.said(sql)).isEqualTo(1);
      assertThat(sql.errors()).contains("no Flink answers at http://localhost:1");
    }
  }

  @Test
  @Tag("slow")
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

  /** Prevails over a demo that runs: the Flink of this demo does not answer. */
  @Test
  @Tag("slow")
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
}
