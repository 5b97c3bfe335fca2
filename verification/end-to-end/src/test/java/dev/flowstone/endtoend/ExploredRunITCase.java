// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.Patience;
import dev.flowstone.processes.Signal;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Gatherers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One run of the demo, asked all that the documentation asks. */
@Timeout(900)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ExploredRunITCase {
  /** How long nothing may come of what was asked, on a machine that does other things, too. */
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private static final Duration LOOK = Duration.ofMillis(100);
  private static final Path ROOT = ProjectRoot.find();

  /** In the documentation, with how it is to be asked. */
  private static final Pattern QUERY =
      Pattern.compile("```sql ?(live|so-far|)\n(.*?)```", Pattern.DOTALL);

  private static final List<String> QUERIES = List.of("docs/queries.md", "docs/sql.md");

  /** As a command; what has no end of its own gets one. */
  private static final Pattern COMMAND =
      Pattern.compile("^ +\\./flowstone sql (--so-far )?-e \"([^\"]*)\"$", Pattern.MULTILINE);

  private static final List<String> COMMANDS = List.of("docs/sql.md", "docs/reference/commands.md");

  /** Its queries are for QuestDB itself. */
  private static final String OF_QUESTDB = "docs/monitoring.md";

  /** What people select from, in the scripts that make it: QuestDB's tables have views. */
  private static final Pattern TABLE =
      Pattern.compile("^CREATE (?:TABLE(?! questdb)|VIEW) (\\S+)", Pattern.MULTILINE);

  /** Whose tables name rings and broker themselves. */
  private static final String OWN_TABLES = "sql/connector/README.md";

  private static final String SAMPLES = "default_database.samples";
  private static final int QUERIES_ON_OWN_TABLES = 5;

  /** As many as docs/sql.md says that the demo has room for. */
  private static final int QUERIES_AT_A_TIME = 2;

  private static final Duration PATIENCE = Duration.ofSeconds(4);
  private static final Pattern ROWS = Pattern.compile("(\\d+) rows? in set");
  private static final Pattern LIVE_ROW =
      Pattern.compile("^\\| \\+I \\| +([^|]+)", Pattern.MULTILINE);

  /** Whom a new one lets in. */
  private static final String QUESTDB_USER = "admin";

  private static final String QUESTDB_PASSWORD = "quest";

  /** Two that may lack some rings, one that must not, and one that Ctrl-C may cut. */
  private static final int WINDOWS = 4;

  @TempDir private static Path folder;

  /** The flood begins ten seconds on and lasts ten. */
  private static final Duration TRAFFIC = Duration.ofSeconds(25);

  private final List<Path> liveAnswers = new ArrayList<>();
  private Path answers;
  private DemoProcess demo;
  private long trafficBeganNs;

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
    trafficBeganNs = System.nanoTime();
  }

  @AfterAll
  void end() throws Exception {
    try (DemoProcess ended = demo) {
      ended.interrupt();
      ended.awaitExit();
      ended.requireNothingLeft();
    }
  }

  private static List<String> queries(String kind) throws Exception {
    List<String> queries = new ArrayList<>();
    for (String page : QUERIES) {
      queries.addAll(statements(page, kind));
    }
    return queries;
  }

  private static List<String> statements(String page, String kind) throws Exception {
    return QUERY
        .matcher(Files.readString(ROOT.resolve(page)))
        .results()
        .filter(query -> query.group(1).equals(kind))
        .map(query -> query.group(2))
        .toList();
  }

  private static List<String> statementsOfCommands() throws Exception {
    List<String> all = new ArrayList<>();
    for (String page : COMMANDS) {
      COMMAND
          .matcher(Files.readString(ROOT.resolve(page)))
          .results()
          .map(each -> each.group(2) + (each.group(1) == null ? " LIMIT 5;\n" : ";\n"))
          .forEach(all::add);
    }
    assertThat(all).hasSize(3);
    return all;
  }

  /** With the demo's places, and an end, as {@code --so-far} gives its own tables one. */
  private List<String> statementsOnOwnTables() throws Exception {
    List<String> all =
        new ArrayList<>(
            List.of("CREATE DATABASE own;", "USE own;", "SET 'table.dml-sync' = 'true';"));
    for (String statement : statements(OWN_TABLES, "")) {
      all.add(
          statement
              .replace(
                  "'rings' = '/dev/shm/flowstone'",
                  "'rings' = '%s', 'start' = 'oldest', 'bounded' = 'true'"
                      .formatted(demo.ringFolder()))
              .replace("localhost:9092", demo.bootstrapServers())
              .replace("FROM samples", "FROM " + SAMPLES));
    }
    assertThat(all).anyMatch(statement -> statement.contains("INSERT INTO found"));
    all.add("SELECT COUNT(*) AS packets_of_mail FROM packets WHERE destination_port = 25;");
    all.add(
        "SELECT COUNT(*) AS kept_mail FROM found WHERE time_ns > 0 AND source_address IS NOT NULL"
            + " AND destination_port = 25 AND protocol = 6 AND frame_length > 0;");
    String weights =
        "SELECT SUM(weight) AS %1$s_weight, SUM(rule) AS %1$s_rules, SUM(weight) > COUNT(*) AS %1$s_sampled FROM %2$s;";
    all.add(weights.formatted("kept", "found_samples"));
    all.add(weights.formatted("given", "(SELECT * FROM " + SAMPLES + " WHERE source_port = 80)"));
    return all;
  }

  /**
   * A row of each that QuestDB is asked for: what its tables have is known to nobody else. Of the
   * others the planner tells whether they have the columns that are named.
   */
  private static List<String> looksAtAllTables(boolean inQuestDb) throws Exception {
    List<String> looks = new ArrayList<>();
    try (DirectoryStream<Path> scripts =
        Files.newDirectoryStream(ROOT.resolve("flink-conf/sql"), "*.sql")) {
      for (Path script : scripts) {
        TABLE
            .matcher(Files.readString(script))
            .results()
            .map(table -> table.group(1))
            .filter(table -> table.startsWith("questdb.") == inQuestDb)
            .map(
                table ->
                    (inQuestDb ? "SELECT * FROM %s LIMIT 1;\n" : "EXPLAIN SELECT * FROM %s;\n")
                        .formatted(table))
            .forEach(looks::add);
      }
    }
    assertThat(looks).hasSizeGreaterThan(4);
    return looks;
  }

  /**
   * @param own folder of what it says, which another program that runs must not write to
   */
  private static ChildProcess sql(Path own, String... arguments) throws Exception {
    return SqlProgram.start(
        own, Programs.state(folder), ROOT.resolve("flink-conf"), List.of(arguments));
  }

  @Test
  @Order(0)
  void shouldShowOnItsPageHowFastPacketsCome() throws Exception {
    Chromium.require();
    new DemoPageChecks(folder, demo).requireLiveRates();
  }

  /**
   * Two at a time, for which the demo is said to have room; each has windows before either ends.
   */
  @Test
  @Order(1)
  void shouldAnswerWhilePacketsComeUntilCtrlC() throws Exception {
    List<String> live = queries("live");
    assertThat(live).hasSizeGreaterThanOrEqualTo(QUERIES_AT_A_TIME);
    boolean isFirst = true;
    for (List<String> pair :
        live.stream().gather(Gatherers.windowFixed(QUERIES_AT_A_TIME)).toList()) {
      askLive(pair, isFirst);
      isFirst = false;
    }
  }

  private void askLive(List<String> queries, boolean isPatienceAsked) throws Exception {
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
      if (isPatienceAsked) {
        requirePatience(clients.getFirst());
      }
      for (ChildProcess sql : clients) {
        assertThat(sql.isAlive()).as(Programs.said(sql)).isTrue();
        sql.send(Signal.INT);
      }
      for (ChildProcess sql : clients) {
        assertThat(sql.awaitEnd(LIMIT)).isTrue();
        Path answer = folder.resolve("live-%d.txt".formatted(liveAnswers.size()));
        liveAnswers.add(Files.writeString(answer, sql.output()));
      }
    } finally {
      clients.forEach(ChildProcess::close);
    }
  }

  private static void awaitWindows(ChildProcess sql) throws Exception {
    Patience patience = new Patience(LIMIT);
    while (beginnings(sql.output()) < WINDOWS) {
      assertThat(sql.awaitEnd(LOOK)).as(Programs.said(sql)).isFalse();
      assertThat(patience.isOver(sql.work())).as(Programs.said(sql)).isFalse();
    }
  }

  /** Of windows, or of packets where a query has a row for each. */
  private static long beginnings(String output) {
    return LIVE_ROW.matcher(output).results().map(row -> row.group(1)).distinct().count();
  }

  /** Flink's client, which asks for rows without a pause, takes most of a core. */
  private static void requirePatience(ChildProcess sql) throws Exception {
    Duration before = cpuTime(sql);
    Thread.sleep(PATIENCE);
    assertThat(cpuTime(sql).minus(before)).isLessThan(PATIENCE.dividedBy(2));
  }

  private static Duration cpuTime(ChildProcess program) {
    return program.handle().info().totalCpuDuration().orElseThrow();
  }

  /** It goes on until what is asked while packets come was answered, however long that took. */
  @Test
  @Order(2)
  void shouldStayWhenItsTrafficHasEnded() throws Exception {
    Thread.sleep(
        Math.max(0, TRAFFIC.toMillis() - (System.nanoTime() - trafficBeganNs) / 1_000_000));
    demo.interrupt();
    demo.awaitWords("All stays up until Ctrl-C");
  }

  @Test
  @Order(3)
  void shouldAnswerEveryQueryOfTheDocumentation() throws Exception {
    List<String> all = new ArrayList<>(queries("so-far"));
    assertThat(all).hasSizeGreaterThan(5);
    all.addAll(queries("live"));
    all.addAll(statementsOfCommands());
    all.add("SELECT COUNT(*) AS all_packets FROM packets;\n");
    all.add("SELECT COUNT(*) AS consumed FROM packet_batches;\n");
    all.add(
        """
        SELECT SUM(measured) AS all_measured, MAX(greatest) AS longest_ns,
          SUM(overflow) > 0.01 * SUM(measured) AS has_p99_overflown,
          COUNT(*) FILTER (
            WHERE histogram_count(histogram, overflow) <> measured
            OR histogram_quantile(histogram, 0.99, overflow, greatest) <> p99) AS read_otherwise
        FROM histograms WHERE measure = 'inter_arrival';
        """);
    all.addAll(looksAtAllTables(true));
    all.add(
        """
        SELECT COUNT(*) AS only_in_kafka FROM (
          SELECT time_ns, rule, source_address, packets FROM flows
          EXCEPT SELECT time_ns, rule, source_address, packets FROM questdb.flows);
        """);
    all.addAll(looksAtAllTables(false));
    int asked = all.size();
    new KafkaTopic(demo.bootstrapServers(), "found").create(1);
    new KafkaTopic(demo.bootstrapServers(), "found_samples").create(1);
    all.addAll(statementsOnOwnTables());
    Path script = Files.writeString(folder.resolve("queries.sql"), String.join("\n", all));
    Path kafka = Files.writeString(folder.resolve("kafka.properties"), "client.id=explorer\n");
    Path password = Files.writeString(folder.resolve("password"), QUESTDB_PASSWORD + "\n");
    try (ChildProcess sql =
        sql(
            folder,
            "--so-far",
            "--kafka-properties",
            kafka.toString(),
            "--questdb-sql-user",
            QUESTDB_USER,
            "--questdb-sql-password-file",
            password.toString(),
            "-f",
            script.toString())) {
      Patience patience = new Patience(LIMIT);
      while (!sql.awaitEnd(LOOK)) {
        assertThat(patience.isOver(sql.output().length())).as(Programs.said(sql)).isFalse();
      }
      assertThat(sql.end().status()).as(Programs.said(sql)).isZero();
      String output = sql.output();
      assertThat(ROWS.matcher(output).results()).as(output).hasSize(asked + QUERIES_ON_OWN_TABLES);
      answers = Files.writeString(folder.resolve("answers.txt"), output);
      requireTruth(output);
    }
  }

  /** What the right one opens is asked above. */
  @Test
  @Order(3)
  void shouldNotBeLetInWithAnotherPassword() throws Exception {
    Path password = Files.writeString(folder.resolve("other"), "no " + QUESTDB_PASSWORD + "\n");
    try (ChildProcess sql =
        sql(
            folder,
            "--so-far",
            "--questdb-sql-user",
            QUESTDB_USER,
            "--questdb-sql-password-file",
            password.toString(),
            "-e",
            "SELECT COUNT(*) AS alerts FROM questdb.alerts")) {
      assertThat(Programs.awaitStatus(sql, LIMIT)).as(Programs.said(sql)).isEqualTo(1);
      assertThat(Programs.said(sql)).containsIgnoringCase("password");
    }
  }

  /** Counted out of rings and messages, by Python. */
  @Test
  @Order(4)
  void shouldAnswerWhatThePacketsGive() throws Exception {
    assertThat(answers).as("of all that there is").isNotNull();
    assertThat(liveAnswers).hasSameSizeAs(queries("live"));
    List<String> command = new ArrayList<>();
    command.add("verification/end-to-end/src/test/python/sql_answers.py");
    command.add(answers.toString());
    liveAnswers.forEach(answer -> command.add(answer.toString()));
    python(command.toArray(String[]::new));
  }

  /** Of each stage by what it reported last: all has ended. */
  @Test
  @Order(5)
  void shouldAnswerWhatIsAskedOfQuestDb() throws Exception {
    List<String> queries = statements(OF_QUESTDB, "");
    assertThat(queries).hasSize(1);
    String ruled = "\"Rules\"," + demo.report().at("/rules/in").asLong();
    try (QuestDbTables tables = new QuestDbTables(demo.questDb())) {
      tables.awaitAllRows("stage");
      assertThat(tables.ask(queries.getFirst())).anyMatch(row -> row.endsWith(ruled));
    }
  }

  @Test
  @Order(6)
  void shouldExecuteAllNotebooks() throws Exception {
    python("notebooks/execute.py");
  }

  @Test
  @Order(7)
  void shouldBeReadByThePackage() throws Exception {
    assertThat(python("-m", "pytest", "-q", "-m", "demo", "notebooks"))
        .containsPattern("\\d+ passed")
        .doesNotContain("skipped");
  }

  private static String python(String... arguments) throws Exception {
    assumeTrue(Python.isSetUp(), "no build/venv, which ./flowstone test makes");
    return Python.runHere(
        folder, Map.of("FLOWSTONE_STATE", Programs.state(folder).toString()), List.of(arguments));
  }

  @Test
  @Order(8)
  void shouldShowOnItsPageWhatItsReportSaysLegibly() throws Exception {
    Chromium.require();
    DemoPageChecks page = new DemoPageChecks(folder, demo);
    page.requireReport();
    page.requireLegible();
    page.requireNoFormerRules();
  }

  private void requireTruth(String output) throws Exception {
    long offered = demo.report().get("offered").asLong();
    assertThat(column(output, "all_packets", 1)).as(output).containsExactly(Long.toString(offered));
    assertThat(column(output, "consumed", 1))
        .as(output)
        .endsWith(demo.report().get("consumed").asText());
    for (String ratio : List.of("packets_ratio", "octets_ratio")) {
      assertThat(Double.parseDouble(column(output, ratio, 1).getFirst()))
          .as("estimate from the sample: %s", ratio)
          .isCloseTo(1, within(0.1));
    }
    assertThat(column(output, "kept_mail", 1))
        .as(output)
        .isEqualTo(column(output, "packets_of_mail", 1))
        .isNotEqualTo(List.of("0"));
    for (String told : List.of("weight", "rules", "sampled")) {
      assertThat(column(output, "kept_" + told, 1))
          .as(output)
          .isEqualTo(column(output, "given_" + told, 1));
    }
    assertThat(column(output, "kept_sampled", 1)).as(output).containsExactly("TRUE");
    assertThat(column(output, "only_in_kafka", 1)).as(output).containsExactly("0");
    assertThat(column(output, "gaps", 1))
        .as(output)
        .endsWith(column(output, "all_measured", 1).getFirst());
    assertThat(column(output, "has_p99_overflown", 1)).as(output).containsExactly("TRUE");
    assertThat(column(output, "p99_ns", 1))
        .as(output)
        .endsWith(column(output, "longest_ns", 1).getFirst());
    assertThat(column(output, "read_otherwise", 1)).as(output).containsExactly("0");
    assertThat(output).containsPattern("Source: rings \\| +" + offered + " \\| +0 \\|");
    assertThat(output).containsPattern("syn_flood \\| +opened \\| +1 \\|");
  }

  /** What tables have in a column of that name, in its first rows. */
  private static List<String> column(String output, String name, int rows) {
    List<String> values = new ArrayList<>();
    String[] lines = output.split("\n", -1);
    for (int i = 0; i + 2 + rows < lines.length; i++) {
      List<String> head = cells(lines[i]);
      int place = head.indexOf(name);
      for (int row = 0; place >= 0 && row < rows; row++) {
        values.add(cells(lines[i + 2 + row]).get(place));
      }
    }
    return values;
  }

  private static List<String> cells(String line) {
    Matcher cell = Pattern.compile("[^|]+").matcher(line);
    return cell.results().map(MatchResult::group).map(String::strip).toList();
  }
}
