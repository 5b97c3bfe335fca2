// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.Patience;
import dev.flowstone.testbed.browser.Chromium;
import dev.flowstone.testbed.browser.DemoPageChecks;
import dev.flowstone.testbed.docs.DocumentedSql;
import dev.flowstone.testbed.kafka.QuestDbTables;
import dev.flowstone.testbed.programs.DemoFindings;
import dev.flowstone.testbed.programs.DemoProcess;
import dev.flowstone.testbed.programs.PrintedTables;
import dev.flowstone.testbed.programs.ProcessTree;
import dev.flowstone.testbed.programs.Programs;
import dev.flowstone.testbed.programs.ProjectRoot;
import dev.flowstone.testbed.programs.Python;
import dev.flowstone.testbed.programs.SqlProgram;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * One demo: what it finds, accounts for and takes, and everything that reads it: the page in a
 * browser, the notebooks, the Python package, SQL on QuestDB. Each test runs alone, too.
 */
@Timeout(600)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class DemoRunITCase {
  private static final int STOPPED_BY_CTRL_C = 130;
  private static final long GIBIBYTE = 1L << 30;
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(100);
  private static final Path ROOT = ProjectRoot.find();

  /** The demo's JVMs, and those that a notebook starts, live for seconds. */
  private static final Map<String, String> FAST_START =
      Map.of("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1");

  /** What a new QuestDB lets in. */
  private static final String QUESTDB_USER = "admin";

  private static final String QUESTDB_PASSWORD = "quest";

  @TempDir private static Path folder;

  private DemoProcess demo;
  private boolean hasTraffic = true;

  @BeforeAll
  void begin() throws Exception {
    String classPath = Programs.classPathOf("demo");
    demo =
        new DemoProcess(
            folder,
            program -> program.withClassPath(classPath),
            "--rate",
            "2k",
            "--ring-bytes",
            "64m",
            "--keep");
    demo.awaitPackets();
  }

  @AfterAll
  void end() throws Exception {
    try (DemoProcess ended = demo) {
      endTraffic();
      ended.interrupt();
      assertThat(ended.awaitExit()).as(ended.output()).isEqualTo(STOPPED_BY_CTRL_C);
      ended.requireNothingLeft();
    }
  }

  /** Ends the traffic once there is a flood in it, which the notebooks look for. */
  private void endTraffic() throws Exception {
    if (hasTraffic) {
      demo.awaitFlood();
      demo.interrupt();
      demo.awaitWords("All stays up until Ctrl-C");
      hasTraffic = false;
    }
  }

  /** Needs traffic, so this is the first test. */
  @Test
  @Tag("explored")
  @Order(0)
  void shouldShowOnItsPageHowFastPacketsCome() throws Exception {
    Chromium.require();
    new DemoPageChecks(demo).requireLiveRates();
  }

  @Test
  void shouldTakeLittleMemoryAndListenOnLoopbackOnly() throws Exception {
    ProcessTree tree = demo.tree();
    assertThat(tree.memoryBytes()).as(demo.output()).isBetween(GIBIBYTE / 2, 4 * GIBIBYTE);
    assertThat(tree.listening()).as("web UI and broker at least").hasSizeGreaterThan(1);
    assertThat(tree.listeningBeyondLoopback()).isEmpty();
  }

  @Test
  void shouldFindTheFloodAndAccountForEveryPacket() throws Exception {
    endTraffic();
    new DemoBalance(demo.report()).require();
    DemoFindings findings = DemoFindings.of(demo);
    findings.requireFlood(demo.output());
    findings.requireEveryKind(demo.report().get("results"));
  }

  @Test
  @Tag("explored")
  void shouldShowOnItsPageWhatItsReportSaysLegibly() throws Exception {
    Chromium.require();
    endTraffic();
    DemoPageChecks page = new DemoPageChecks(demo);
    page.requireReport();
    page.requireLegible();
    page.requireNoFormerRules();
  }

  @Test
  @Tag("explored")
  void shouldExecuteTheNotebooksOfTheFirstLookAndOfLosses() throws Exception {
    python(
        "notebooks/execute.py",
        "notebooks/01-first-look.ipynb",
        "notebooks/05-loss-accounting.ipynb");
  }

  @Test
  @Tag("explored")
  @Tag("slow")
  void shouldExecuteAllNotebooks() throws Exception {
    python("notebooks/execute.py");
  }

  @Test
  @Tag("explored")
  @Tag("slow")
  void shouldBeReadByThePackage() throws Exception {
    assertThat(python("-m", "pytest", "-q", "-m", "demo", "notebooks"))
        .containsPattern("\\d+ passed")
        .doesNotContain("skipped");
  }

  private String python(String... arguments) throws Exception {
    assumeTrue(Python.isSetUp(), "no build/venv, which ./flowstone test makes");
    endTraffic();
    Map<String, String> variables = new HashMap<>(FAST_START);
    variables.put("FLOWSTONE_STATE", Programs.state(folder).toString());
    return Python.runHere(folder, variables, List.of(arguments));
  }

  @Test
  @Tag("explored")
  void shouldHaveInQuestDbWhatKafkaHas() throws Exception {
    endTraffic();
    List<String> statements = new ArrayList<>();
    DocumentedSql.soFar().stream()
        .filter(each -> each.contains(DocumentedSql.QUESTDB))
        .forEach(statements::add);
    DocumentedSql.tables().stream()
        .filter(each -> each.startsWith(DocumentedSql.QUESTDB))
        .forEach(each -> statements.add("SELECT * FROM %s LIMIT 1;".formatted(each)));
    assertThat(statements).hasSizeGreaterThan(5);
    statements.add(
        """
        SELECT COUNT(*) AS only_in_kafka FROM (
          SELECT time_ns, rule, source_address, packets FROM flows
          EXCEPT SELECT time_ns, rule, source_address, packets FROM questdb.flows);
        """);
    PrintedTables printed = new PrintedTables(sql(statements));
    assertThat(printed.count()).as(printed.output()).isEqualTo(statements.size());
    assertThat(printed.output()).containsPattern("syn_flood \\| +opened \\| +1 \\|");
    assertThat(printed.firstOf("only_in_kafka")).containsExactly("0");
  }

  private static String sql(List<String> statements) throws Exception {
    Path script = Files.writeString(folder.resolve("questdb.sql"), String.join("\n", statements));
    Path password = Files.writeString(folder.resolve("password"), QUESTDB_PASSWORD + "\n");
    try (ChildProcess sql =
        SqlProgram.start(
            folder,
            Programs.state(folder),
            ROOT.resolve("flink-conf"),
            List.of(
                "--so-far",
                "--questdb-sql-user",
                QUESTDB_USER,
                "--questdb-sql-password-file",
                password.toString(),
                "-f",
                script.toString()))) {
      Patience patience = new Patience(LIMIT);
      while (!sql.awaitEnd(POLL_INTERVAL)) {
        assertThat(patience.isOver(sql.output().length())).as(Programs.said(sql)).isFalse();
      }
      assertThat(sql.end().status()).as(Programs.said(sql)).isZero();
      return sql.output();
    }
  }

  /** The query of the documentation selects each stage's last report. */
  @Test
  @Tag("explored")
  void shouldAnswerTheQueryOfTheMonitoringPage() throws Exception {
    endTraffic();
    List<String> queries = DocumentedSql.on("docs/monitoring.md");
    assertThat(queries).hasSize(1);
    String ruled = "\"Rules\"," + demo.report().at("/rules/in").asLong();
    try (QuestDbTables tables = new QuestDbTables(demo.questDb())) {
      tables.awaitAllRows("stage");
      assertThat(tables.ask(queries.getFirst())).anyMatch(row -> row.endsWith(ruled));
    }
  }
}
