// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.Patience;
import dev.flowstone.processes.Signal;
import dev.flowstone.testbed.docs.DocumentedSql;
import dev.flowstone.testbed.programs.DemoProcess;
import dev.flowstone.testbed.programs.Programs;
import dev.flowstone.testbed.programs.ProjectRoot;
import dev.flowstone.testbed.programs.Python;
import dev.flowstone.testbed.programs.SqlProgram;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Gatherers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The documented live queries on a demo, as many at a time as the demo has slots for. */
@Tag("slow")
@Timeout(900)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DemoSqlITCase {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(100);
  private static final Path ROOT = ProjectRoot.find();

  /** As docs/sql.md says. */
  private static final int QUERIES_AT_A_TIME = 2;

  /** Two windows that may lack rings, one that is whole, and one that Ctrl-C may cut. */
  private static final int WINDOWS = 4;

  private static final Pattern LIVE_ROW =
      Pattern.compile("^\\| \\+I \\| +([^|]+)", Pattern.MULTILINE);

  @TempDir private static Path folder;

  private DemoProcess demo;

  @BeforeAll
  void begin() throws Exception {
    String classPath = Programs.classPathOf("demo");
    demo =
        new DemoProcess(
            folder,
            program -> program.withClassPath(classPath),
            "--rate",
            "30k",
            "--ring-bytes",
            "512m",
            "--keep");
    demo.awaitPackets();
  }

  @AfterAll
  void end() {
    demo.close();
  }

  @Test
  void shouldAnswerTwoLiveQueriesAtATimeUntilCtrlC() throws Exception {
    List<String> queries = DocumentedSql.live();
    assertThat(queries).hasSizeGreaterThanOrEqualTo(QUERIES_AT_A_TIME);
    List<String> command =
        new ArrayList<>(List.of("verification/testbed/src/main/python/sql_answers.py", "live"));
    for (List<String> pair :
        queries.stream().gather(Gatherers.windowFixed(QUERIES_AT_A_TIME)).toList()) {
      for (String output : ask(pair)) {
        Path answer = folder.resolve("live-%d.txt".formatted(command.size()));
        command.add(Files.writeString(answer, output).toString());
      }
    }
    demo.interrupt();
    demo.awaitWords("All stays up until Ctrl-C");
    assumeTrue(Python.isSetUp(), "no build/venv, which ./flowstone test makes");
    Python.runHere(folder, Map.of("FLOWSTONE_STATE", Programs.state(folder).toString()), command);
  }

  /** Returns what each client printed, in the order of the queries. */
  private static List<String> ask(List<String> queries) throws Exception {
    List<ChildProcess> clients = new ArrayList<>();
    try {
      for (String query : queries) {
        clients.add(
            sql(
                Files.createTempDirectory(folder, "live"),
                "-e",
                query.strip().replaceAll(";$", "")));
      }
      for (ChildProcess sql : clients) {
        awaitWindows(sql);
      }
      List<String> outputs = new ArrayList<>();
      for (ChildProcess sql : clients) {
        sql.send(Signal.INT);
        assertThat(sql.awaitEnd(LIMIT)).isTrue();
        outputs.add(sql.output());
      }
      return outputs;
    } finally {
      clients.forEach(ChildProcess::close);
    }
  }

  private static void awaitWindows(ChildProcess sql) throws Exception {
    Patience patience = new Patience(LIMIT);
    while (beginnings(sql.output()) < WINDOWS) {
      assertThat(sql.awaitEnd(POLL_INTERVAL)).as(Programs.said(sql)).isFalse();
      assertThat(patience.isOver(sql.work())).as(Programs.said(sql)).isFalse();
    }
  }

  /** Counts windows, or packets where a query has a row for each packet. */
  private static long beginnings(String output) {
    return LIVE_ROW.matcher(output).results().map(row -> row.group(1)).distinct().count();
  }

  /** {@link DemoRunITCase} uses the right password. */
  @Test
  void shouldNotReachQuestDbWithAnotherPassword() throws Exception {
    Path password = Files.writeString(folder.resolve("other"), "not quest\n");
    try (ChildProcess sql =
        sql(
            Files.createTempDirectory(folder, "login"),
            "--so-far",
            "--questdb-sql-user",
            "admin",
            "--questdb-sql-password-file",
            password.toString(),
            "-e",
            "SELECT COUNT(*) AS alerts FROM questdb.alerts")) {
      assertThat(Programs.awaitStatus(sql, LIMIT)).as(Programs.said(sql)).isEqualTo(1);
      assertThat(Programs.said(sql)).containsIgnoringCase("password");
    }
  }

  /**
   * @param own folder of what the client prints, which no other client writes to
   */
  private static ChildProcess sql(Path own, String... arguments) throws Exception {
    return SqlProgram.start(
        own, Programs.state(folder), ROOT.resolve("flink-conf"), List.of(arguments));
  }
}
