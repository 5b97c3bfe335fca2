// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.harness.ClusterSize;
import dev.flowstone.harness.DemoAddresses;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.LocalCluster;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.jobs.platform.PlatformJob;
import dev.flowstone.jobs.platform.PlatformOptions;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.Patience;
import dev.flowstone.testbed.docs.DocumentedSql;
import dev.flowstone.testbed.programs.PrintedTables;
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
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs every documented SQL statement in one session on recorded rings and on the topics of a job
 * that has read them. Statements that need QuestDB, and statements that end only at Ctrl-C, are
 * planned here and run against a demo by {@link DemoRunITCase} and {@link DemoSqlITCase}.
 */
@Tag("sql")
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DocumentedSqlITCase {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(100);
  private static final Path ROOT = ProjectRoot.find();
  private static final int RINGS = 2;

  /** Of the job, and of one query at a time. */
  private static final ClusterSize SIZE = new ClusterSize(2 * RINGS, 96, 128);

  /** The flood of this traffic begins at 10 s, so the last of the packets are SYNs. */
  private static final List<String> TRAFFIC =
      List.of("--preset", "syn-flood", "--rate", "20k", "--unlimited", "--packets", "220000");

  /** The demo's functions that the documented queries read. */
  private static final String RULES =
      """
      rules:
        - {name: connections, match: {protocol: tcp, tcp_flags: syn and not ack}, function: {anomaly: [{detect: syn_flood, threshold: 5000, window: 2s, slide: 1s}]}}
        - {name: https, match: {source_port: 443}, function: {aggregate: {active_timeout: 1s, idle_timeout: 1s}}}
        - {name: datagrams, match: {protocol: udp}, function: {histogram: {of: [inter_arrival], lowest: 10ns, highest: 1s, digits: 1, interval: 1s}}}
        - {name: http, match: {protocol: tcp, source_port: 80}, function: {sample: {one_in: 10, by: packets, keep_syn_fin_rst: true}}}
      default: {function: pass}
      """;

  @TempDir private static Path folder;

  private ScratchFolder rings;
  private BrokerProcess broker;
  private LocalCluster cluster;
  private int tables;
  private PrintedTables printed;

  @BeforeAll
  @Timeout(300)
  void begin() throws Exception {
    rings = ScratchFolder.inMemory("documented-sql");
    broker = BrokerProcess.start(BrokerOptions.in(folder.resolve("kafka")));
    cluster = LocalCluster.start(SIZE, configuration());
    record();
    addresses().write(Programs.state(folder).resolve("demo.json"));
    printed = new PrintedTables(run(statements()));
  }

  @AfterAll
  void end() {
    if (cluster != null) {
      cluster.close();
    }
    if (broker != null) {
      broker.close();
    }
    rings.close();
  }

  private static Configuration configuration() {
    Configuration configuration = new Configuration();
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(500));
    configuration.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY,
        folder.resolve("checkpoints").toUri().toString());
    // As in the demo: the connectors that the client uploads are on the class path already.
    configuration.set(CoreOptions.CLASSLOADER_RESOLVE_ORDER, "parent-first");
    return configuration;
  }

  /** Fills rings, then topics from the rings. */
  private void record() throws Exception {
    List<String> arguments = new ArrayList<>(List.of("synthetic"));
    arguments.addAll(TRAFFIC);
    arguments.addAll(List.of("--rings", rings.path().toString(), "--ring-count", "" + RINGS));
    arguments.addAll(List.of("--ring-bytes", "32m", "--report", report().toString()));
    try (ChildProcess tap =
        Programs.run(
            folder, "dev.flowstone.tap.command.TapCommand", arguments.toArray(String[]::new))) {
      assertThat(tap.end().status()).as(Programs.said(tap)).isZero();
    }
    topic("packets").create(RINGS);
    topic("results").create(1);
    PlatformOptions options = new PlatformOptions();
    options.rings.folders = List.of(rings.path());
    options.rings.bounded = true;
    options.rules.file = Files.writeString(folder.resolve("rules.yaml"), RULES);
    options.kafka.bootstrapServers = broker.bootstrapServers();
    options.stages.interval = Duration.ofSeconds(1);
    assertThat(
            cluster
                .submit(RINGS, environment -> PlatformJob.build(environment, options))
                .awaitEnd(LIMIT))
        .isTrue();
  }

  private static Path report() {
    return folder.resolve("tap.json");
  }

  private KafkaTopic topic(String name) {
    return new KafkaTopic(broker.bootstrapServers(), name);
  }

  /** The SQL client and the Python package find this cluster as they find a demo. */
  private DemoAddresses addresses() throws Exception {
    return new DemoAddresses(
        ProcessHandle.current().pid(),
        cluster.webUrl(),
        broker.bootstrapServers(),
        "packets",
        "results",
        null,
        null,
        rings.path().toString());
  }

  private List<String> statements() throws Exception {
    List<String> statements = new ArrayList<>();
    DocumentedSql.soFar().stream().filter(each -> !needsQuestDb(each)).forEach(statements::add);
    statements.add("SELECT COUNT(*) AS all_packets FROM packets;");
    statements.add("SELECT COUNT(*) AS in_kafka, SUM(weight) AS stand_for FROM packet_batches;");
    statements.add(
        """
        SELECT SUM(measured) AS all_measured, MAX(greatest) AS longest_ns,
          SUM(overflow) > 0.01 * SUM(measured) AS has_p99_overflown,
          COUNT(*) FILTER (
            WHERE histogram_count(histogram, overflow) <> measured
            OR histogram_quantile(histogram, 0.99, overflow, greatest) <> p99) AS read_otherwise
        FROM histograms WHERE measure = 'inter_arrival';
        """);
    DocumentedSql.tables()
        .forEach(each -> statements.add("EXPLAIN SELECT * FROM %s;".formatted(each)));
    DocumentedSql.soFar().stream()
        .filter(DocumentedSqlITCase::needsQuestDb)
        .forEach(each -> statements.add("EXPLAIN " + each));
    statements.add("SET 'execution.runtime-mode' = 'streaming';");
    DocumentedSql.live().forEach(each -> statements.add("EXPLAIN " + each));
    DocumentedSql.liveCommands().forEach(each -> statements.add("EXPLAIN " + each));
    statements.add("SET 'execution.runtime-mode' = 'batch';");
    tables = statements.size() - 2;
    statements.addAll(statementsOnOwnTables());
    tables += 5;
    return statements;
  }

  private static boolean needsQuestDb(String statement) {
    return statement.contains(DocumentedSql.QUESTDB);
  }

  /** Adds the places of this test and an end, which {@code --so-far} adds to its own tables. */
  private List<String> statementsOnOwnTables() throws Exception {
    topic("found").create(1);
    topic("found_samples").create(1);
    List<String> statements =
        new ArrayList<>(
            List.of("CREATE DATABASE own;", "USE own;", "SET 'table.dml-sync' = 'true';"));
    for (String statement : DocumentedSql.on("sql/connector/README.md")) {
      statements.add(
          statement
              .replace(
                  "'rings' = '/dev/shm/flowstone'",
                  "'rings' = '%s', 'start' = 'oldest', 'end' = 'end_of_tap'"
                      .formatted(rings.path()))
              .replace("localhost:9092", broker.bootstrapServers())
              .replace("FROM samples", "FROM default_database.samples"));
    }
    assertThat(statements).anyMatch(statement -> statement.contains("INSERT INTO found"));
    statements.add("SELECT COUNT(*) AS packets_of_mail FROM packets WHERE destination_port = 25;");
    statements.add(
        "SELECT COUNT(*) AS kept_mail FROM found WHERE time_ns > 0 AND source_address IS NOT NULL"
            + " AND destination_port = 25 AND protocol = 6 AND frame_length > 0;");
    String weights =
        "SELECT SUM(weight) AS %1$s_weight, SUM(rule) AS %1$s_rules, SUM(weight) > COUNT(*) AS"
            + " %1$s_sampled FROM %2$s;";
    statements.add(weights.formatted("kept", "found_samples"));
    statements.add(
        weights.formatted(
            "given", "(SELECT * FROM default_database.samples WHERE source_port = 80)"));
    return statements;
  }

  private String run(List<String> statements) throws Exception {
    Path script =
        Files.writeString(folder.resolve("documented.sql"), String.join("\n", statements));
    Path kafka = Files.writeString(folder.resolve("kafka.properties"), "client.id=explorer\n");
    try (ChildProcess sql =
        SqlProgram.start(
            folder,
            Programs.state(folder),
            ROOT.resolve("flink-conf"),
            List.of("--so-far", "--kafka-properties", kafka.toString(), "-f", script.toString()))) {
      Patience patience = new Patience(LIMIT);
      while (!sql.awaitEnd(POLL_INTERVAL)) {
        assertThat(patience.isOver(sql.output().length())).as(Programs.said(sql)).isFalse();
      }
      assertThat(sql.end().status()).as(Programs.said(sql)).isZero();
      return sql.output();
    }
  }

  @Test
  void shouldFindTheStatementsOfThePages() throws Exception {
    assertThat(DocumentedSql.soFar()).hasSizeGreaterThan(8);
    assertThat(DocumentedSql.live()).hasSizeGreaterThan(3);
    assertThat(DocumentedSql.liveCommands()).isNotEmpty();
    assertThat(DocumentedSql.tables()).contains("packets", "samples", "alerts", "questdb.alerts");
  }

  @Test
  void shouldPlanOrAnswerEachStatement() {
    assertThat(tables).isGreaterThan(30);
    assertThat(printed.count()).as(printed.output()).isEqualTo(tables);
    assertThat(printed.output()).contains("[[default_catalog, questdb, alert");
  }

  @Test
  void shouldReadEachPacketOfRingsAndTopic() throws Exception {
    long offered = new ObjectMapper().readTree(report().toFile()).get("offered").asLong();
    assertThat(printed.firstOf("all_packets")).containsExactly(Long.toString(offered));
    assertThat(printed.output())
        .containsPattern("Source: rings \\| +" + offered + " \\| +0 \\|")
        .containsPattern(
            "Kafka: packets: Writer \\| +<NULL> \\| +<NULL> \\| +%s \\|"
                .formatted(printed.firstOf("in_kafka").getFirst()));
  }

  @Test
  void shouldEstimateFromASample() {
    for (String ratio : List.of("packets_ratio", "octets_ratio")) {
      assertThat(Double.parseDouble(printed.firstOf(ratio).getFirst()))
          .as(ratio)
          .isCloseTo(1, within(0.1));
    }
  }

  @Test
  void shouldReadHistogramsAsTheJobDoes() {
    assertThat(printed.firstOf("gaps")).endsWith(printed.firstOf("all_measured").getFirst());
    assertThat(printed.firstOf("has_p99_overflown")).containsExactly("TRUE");
    assertThat(printed.firstOf("p99_ns")).endsWith(printed.firstOf("longest_ns").getFirst());
    assertThat(printed.firstOf("read_otherwise")).containsExactly("0");
  }

  @Test
  void shouldKeepWhatAQueryFinds() {
    assertThat(printed.firstOf("kept_mail"))
        .isEqualTo(printed.firstOf("packets_of_mail"))
        .isNotEqualTo(List.of("0"));
    for (String sum : List.of("weight", "rules", "sampled")) {
      assertThat(printed.firstOf("kept_" + sum)).isEqualTo(printed.firstOf("given_" + sum));
    }
    assertThat(printed.firstOf("kept_sampled")).containsExactly("TRUE");
  }

  /** NumPy counts the packets in rings and messages. */
  @Test
  void shouldAnswerWhatThePacketsGive() throws Exception {
    assumeTrue(Python.isSetUp(), "no build/venv, which ./flowstone test makes");
    Path answers = Files.writeString(folder.resolve("answers.txt"), printed.output());
    Python.runHere(
        folder,
        Map.of("FLOWSTONE_STATE", Programs.state(folder).toString()),
        List.of(
            "verification/testbed/src/main/python/sql_answers.py", "so-far", answers.toString()));
  }
}
