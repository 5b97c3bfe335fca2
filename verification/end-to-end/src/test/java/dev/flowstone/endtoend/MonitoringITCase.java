// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.harness.CommittedMessages;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.LoopbackPorts;
import dev.flowstone.processes.Signal;
import dev.flowstone.questdb.process.QuestDbProcess;
import dev.flowstone.testbed.browser.Chromium;
import dev.flowstone.testbed.browser.JobPageChecks;
import dev.flowstone.testbed.flink.DeploymentCommands;
import dev.flowstone.testbed.flink.Prometheus;
import dev.flowstone.testbed.programs.Programs;
import dev.flowstone.testbed.programs.ProjectRoot;
import dev.flowstone.testbed.programs.SaidWords;
import dev.flowstone.testbed.rings.ReplayedTap;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A tap, a job and a real Prometheus with the rules that come with Flink's configuration: whatever
 * tells of the stages tells the same, and no query of the dashboard is empty.
 */
@Timeout(150)
class MonitoringITCase {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final long POLL_INTERVAL_MS = 500;
  private static final Path CONFIGURATION = ProjectRoot.find().resolve("flink-conf");
  private static final int STOPPED_BY_CTRL_C = 130;

  /** Each of the six packets has a function that another one has not, or nearly so. */
  private static final String RULES =
      """
      rules:
        - name: fragments
          priority: 4
          match: {later_fragment: true}
          function: drop
        - name: opening
          priority: 3
          match: {protocol: tcp, tcp_flags: syn and not ack}
          function: {anomaly: [{detect: syn_flood, threshold: 100, window: 1s, slide: 1s}]}
        - name: answers
          priority: 2
          match: {source_port: 443}
          function: {aggregate: {active_timeout: 1s, idle_timeout: 1s}}
        - name: others
          priority: 1
          match: {protocol: tcp}
          function: {histogram: {of: [inter_arrival], per: flow, interval: 1s, digits: 1}}
      default:
        function: {sample: {one_in: 10, by: packets}}
      """;

  @TempDir private Path folder;
  private ScratchFolder rings;
  private Path programs;

  @BeforeEach
  void begin() throws Exception {
    programs = Prometheus.find().orElse(null);
    assumeTrue(
        programs != null,
        "SKIPPED: no prometheus and promtool on the PATH, and apt-get could not bring them");
    rings = ScratchFolder.inMemory("monitoring");
  }

  @AfterEach
  void end() {
    if (rings != null) {
      rings.close();
    }
  }

  @Test
  void shouldHaveRulesThatPrometheusAccepts() throws Exception {
    promtool("check", "rules", "flowstone.rules.yaml");
    promtool("test", "rules", "flowstone.rules.test.yaml");
  }

  /** Its job has no rules, and its results of stages have a topic of their own. */
  @Test
  @Tag("slow")
  void shouldTellOfEachPacketInEveryWay() throws Exception {
    int tapPort = LoopbackPorts.claimFree();
    int flinkPort = LoopbackPorts.claimFree();
    try (BrokerProcess broker = BrokerProcess.start(BrokerOptions.in(folder.resolve("kafka")));
        ReplayedTap tap = ReplayedTap.start(folder, rings.path(), "--metrics", "" + tapPort);
        ChildProcess job =
            startJob(
                "sampling",
                broker.bootstrapServers(),
                flinkPort,
                List.of("--one-in", "10", "--stages-topic", "stages"),
                "samples",
                "stages");
        Prometheus prometheus = prometheus(tapPort, flinkPort)) {
      awaitAllQueries(prometheus, job);
      long offered = tap.end();
      await(prometheus, job, "sum(flowstone_packets_total{way=\"in\", stage=\"Sample\"})", offered);
      awaitEveryPacket(prometheus, job, offered);
      assertThat(stats(job, "sampling"))
          .contains(String.format(Locale.ROOT, "read %,d = %,d in Sample", offered, offered))
          .containsPattern("\\n +Kafka: Writer +[1-9].*\n(?s:.*)\n +Kafka: stages: Writer +[1-9]")
          .endsWith("every packet accounted for\n");
      stop(job);
      requireReports(new KafkaTopic(broker.bootstrapServers(), "stages"), offered);
      admitAPageThatNobodySaw();
    }
  }

  /** Every function, their results in QuestDB: together they have what the source has. */
  @Test
  @Tag("slow")
  void shouldTellOfEachFunction() throws Exception {
    int tapPort = LoopbackPorts.claimFree();
    int flinkPort = LoopbackPorts.claimFree();
    try (BrokerProcess broker = BrokerProcess.start(BrokerOptions.in(folder.resolve("kafka")));
        QuestDbProcess questDb =
            QuestDbProcess.start(folder.resolve("questdb"), QuestDbProcess.ANY_PORT);
        ReplayedTap tap = ReplayedTap.start(folder, rings.path(), "--metrics", "" + tapPort);
        ChildProcess job =
            startJob(
                "platform",
                broker.bootstrapServers(),
                flinkPort,
                List.of(
                    "--rules",
                    Files.writeString(folder.resolve("rules.yaml"), RULES).toString(),
                    "--questdb",
                    questDb.address().toString()),
                "packets",
                "results");
        Prometheus prometheus = prometheus(tapPort, flinkPort)) {
      awaitAllQueries(prometheus, job);
      awaitSome(
          prometheus, job, "sum by (stage) (flowstone_results_total{stage=~\"QuestDB.*\"}) > 0");
      long offered = tap.end();
      awaitEach(prometheus, job, offered);
      awaitEveryPacketOfRules(prometheus, job, offered);
      requireWordsOnRules(job);
      stop(job);
      Map<String, JsonNode> reports =
          latestReports(new KafkaTopic(broker.bootstrapServers(), "results"));
      assertThat(sum(reports, "Source: rings", "packets_consumed")).isEqualTo(offered);
      assertThat(sum(reports, "Rules", "packets")).isEqualTo(offered);
      admitAPageThatNobodySaw();
    }
  }

  /** Of six packets two open connections; one each is an answer, another, dropped, and not TCP. */
  private static void awaitEach(Prometheus prometheus, ChildProcess job, long offered)
      throws Exception {
    await(
        prometheus,
        job,
        "sum(flowstone_packets_total{way=\"in\", stage=~\"Packets|Flow"
            + " records|Histograms|Detectors\"}) + sum(flowstone_packets_total{way=\"left_out\","
            + " reason=\"Dropped\"})",
        offered);
    Map<String, Long> sixths =
        Map.of("Detectors", 2L, "Flow records", 1L, "Histograms", 1L, "Packets", 1L);
    for (String stage : sixths.keySet()) {
      double in =
          prometheus.value(
              "sum(flowstone_packets_total{way=\"in\", stage=\"%s\"})".formatted(stage));
      double expected = offered / 6.0 * sixths.get(stage);
      assertThat(in).as(stage).isBetween(expected - 2, expected + 2);
    }
  }

  /** On the terminal, where whoever changes them looks. */
  private void requireWordsOnRules(ChildProcess job) throws Exception {
    Path rules = folder.resolve("rules.yaml");
    Files.writeString(rules, "rules: []\ndefault: {function: smaple}\n");
    awaitWords(job, "warning: new rules are refused, version 1 stays in force: " + rules + ":2:");
    Files.writeString(rules, "rules: []\n");
    awaitWords(job, "rules of " + rules + " are in force, version 2");
  }

  private static void awaitWords(ChildProcess job, String words) throws Exception {
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    while (!job.output().contains(words)) {
      assertThat(System.nanoTime() - deadlineNs)
          .as("no \"%s\" in%n%s", words, Programs.said(job))
          .isNegative();
      Thread.sleep(POLL_INTERVAL_MS);
    }
  }

  /** What was given a rule went on or was dropped; {@code stats --flink} has the same numbers. */
  private void awaitEveryPacketOfRules(Prometheus prometheus, ChildProcess job, long offered)
      throws Exception {
    String packets = "sum(flowstone_packets_total{stage=\"Rules\", way=~\"%s\"})";
    for (String ways : List.of("in", "out|left_out")) {
      await(prometheus, job, packets.formatted(ways), offered);
    }
    await(prometheus, job, "sum(flowstone_packets_of_rule_total)", offered);
    long out = (long) prometheus.value(packets.formatted("out"));
    long dropped = (long) prometheus.value(packets.formatted("left_out"));
    assertThat(dropped).isPositive();
    assertThat(stats(job, "platform"))
        .containsPattern("\\n +Kafka: packets: Writer +[1-9]")
        .containsPattern("\\n +Kafka: results: Writer +[1-9]")
        .containsPattern(
            String.format(
                Locale.ROOT,
                "Rules +%,d +[0-9,]+ +%,d +%,d by rules that drop\n",
                offered,
                out,
                dropped));
  }

  private void promtool(String what, String of, String file) throws Exception {
    Process promtool =
        new ProcessBuilder(
                programs.resolve("promtool").toString(),
                what,
                of,
                CONFIGURATION.resolve("prometheus").resolve(file).toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("promtool.log").toFile())
            .start();
    assertThat(promtool.waitFor()).as(Files.readString(folder.resolve("promtool.log"))).isZero();
  }

  private ChildProcess startJob(
      String name,
      String bootstrapServers,
      int metricsPort,
      List<String> options,
      String topicOfPackets,
      String otherTopic)
      throws Exception {
    new KafkaTopic(bootstrapServers, topicOfPackets).create(ReplayedTap.RING_COUNT);
    new KafkaTopic(bootstrapServers, otherTopic).create(1);
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--rings",
                rings.path().toString(),
                "--bootstrap-servers",
                bootstrapServers,
                "--stages-interval",
                "1 s",
                "--metrics",
                "" + metricsPort,
                "--checkpoint-interval",
                "500 ms",
                "--parallelism",
                "2",
                "--web-port",
                "0"));
    arguments.addFirst(name);
    arguments.addAll(options);
    return new DeploymentCommands(folder).job(arguments.toArray(String[]::new));
  }

  private Prometheus prometheus(int tapPort, int flinkPort) throws Exception {
    return Prometheus.start(
        programs,
        configuration(tapPort, flinkPort),
        folder.resolve("series"),
        LoopbackPorts.claimFree());
  }

  /** The one that is there as an example, more often and with other ports. */
  private Path configuration(int tapPort, int flinkPort) throws IOException {
    Path example = CONFIGURATION.resolve("prometheus");
    Files.copy(example.resolve("flowstone.rules.yaml"), folder.resolve("flowstone.rules.yaml"));
    return Files.writeString(
        folder.resolve("prometheus.yaml"),
        Files.readString(example.resolve("prometheus.yaml"))
            .replace("interval: 10s", "interval: 1s")
            .replace("localhost:9400", "127.0.0.1:" + tapPort)
            .replace("\"localhost:9249\", \"localhost:9250\"", "\"127.0.0.1:" + flinkPort + "\"")
            .replace(", \"localhost:9251\"", ""));
  }

  private static void awaitAllQueries(Prometheus prometheus, ChildProcess job) throws Exception {
    List<String> queries = queries();
    assertThat(queries).hasSizeGreaterThan(10);
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    List<String> empty = queries;
    while (!empty.isEmpty()) {
      assertThat(System.nanoTime() - deadlineNs)
          .as("no answer to %s%n%s", empty, Programs.said(job))
          .isNegative();
      Thread.sleep(POLL_INTERVAL_MS);
      List<String> still = new ArrayList<>();
      for (String query : empty) {
        if (prometheus.query(query).isEmpty()) {
          still.add(query);
        }
      }
      empty = still;
    }
  }

  /** Of the dashboard, with the words of Grafana replaced. */
  private static List<String> queries() throws IOException {
    JsonNode dashboard =
        new ObjectMapper().readTree(CONFIGURATION.resolve("grafana/flowstone.json").toFile());
    return dashboard.path("panels").findValuesAsText("expr").stream()
        .map(query -> query.replace("$__rate_interval", "5s").replace("$job", ".*"))
        .toList();
  }

  private static void awaitSome(Prometheus prometheus, ChildProcess job, String query)
      throws Exception {
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    while (prometheus.query(query).isEmpty()) {
      assertThat(System.nanoTime() - deadlineNs)
          .as("no answer to %s%n%s", query, Programs.said(job))
          .isNegative();
      Thread.sleep(POLL_INTERVAL_MS);
    }
  }

  private static void await(
      Prometheus prometheus, ChildProcess job, String expression, long expected) throws Exception {
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    double value = prometheus.value(expression);
    while (value != expected) {
      assertThat(System.nanoTime() - deadlineNs)
          .as("%s is %s, not %s%n%s", expression, value, expected, Programs.said(job))
          .isNegative();
      Thread.sleep(POLL_INTERVAL_MS);
      value = prometheus.value(expression);
    }
  }

  /** One stage may be asked a moment before the other, so each number is waited for. */
  private static void awaitEveryPacket(Prometheus prometheus, ChildProcess job, long offered)
      throws Exception {
    for (String stage : List.of("Source: rings", "Rules")) {
      for (String way : List.of("in", "out")) {
        await(
            prometheus,
            job,
            "sum(flowstone_packets_total{stage=\"%s\", way=\"%s\"})".formatted(stage, way),
            offered);
      }
    }
    await(
        prometheus,
        job,
        "sum(flowstone_packets_total{stage=\"Sample\", way=~\"out|left_out\"})",
        offered);
    double sampled =
        prometheus.value("sum(flowstone_packets_total{stage=\"Sample\", way=\"out\"})");
    assertThat(sampled).isBetween(offered / 10.0, offered / 10.0 + ReplayedTap.RING_COUNT);
    await(
        prometheus,
        job,
        "sum(flowstone_packets_total{stage=\"Kafka: Writer\", way=\"out\"})",
        (long) sampled);
    await(prometheus, job, "flowstone_packets_between_source_and_rules", 0);
  }

  /** Where there is no browser the test is told as skipped, once all else is known to hold. */
  private static void admitAPageThatNobodySaw() {
    Chromium.require();
  }

  /**
   * What {@code stats --flink} says of a job whose packets are all accounted for, as its page does.
   */
  private String stats(ChildProcess job, String name) throws Exception {
    String web = SaidWords.web(job.output());
    if (Chromium.isThere()) {
      new JobPageChecks(web, rings.path()).requireCountersOf(name);
    }
    try (ChildProcess stats =
        Programs.run(
            folder,
            "dev.flowstone.monitoring.stats.FlinkStatsCommand",
            "--flink",
            web,
            "--job",
            name)) {
      assertThat(stats.end().status()).as(Programs.said(stats)).isZero();
      return stats.output();
    }
  }

  private static void stop(ChildProcess job) throws Exception {
    job.send(Signal.INT);
    assertThat(Programs.awaitStatus(job, LIMIT))
        .as(Programs.said(job))
        .isEqualTo(STOPPED_BY_CTRL_C);
  }

  private static void requireReports(KafkaTopic topic, long offered) throws Exception {
    Map<String, JsonNode> latest = latestReports(topic);
    assertThat(latest.values())
        .extracting(report -> report.path("stage").asText())
        .contains("Source: rings", "Rules", "Sample", "Kafka: Writer", "Kafka: stages: Writer");
    assertThat(sum(latest, "Source: rings", "packets_consumed")).isEqualTo(offered);
    assertThat(sum(latest, "Rules", "packets")).isEqualTo(offered);
    assertThat(sum(latest, "Sample", "packets_sampled") + sum(latest, "Sample", "packets_left_out"))
        .isEqualTo(offered);
    assertThat(sum(latest, "Kafka: Writer", "packets_packed"))
        .isEqualTo(sum(latest, "Sample", "packets_sampled"));
  }

  /** Returns the latest report of each subtask, which counts from the subtask's beginning. */
  private static Map<String, JsonNode> latestReports(KafkaTopic topic) throws Exception {
    Map<String, JsonNode> latest = new HashMap<>();
    CommittedMessages.readAll(
        topic,
        LIMIT,
        message -> {
          JsonNode result = json(message.value());
          if (result.path("kind").asText().equals("stage")) {
            latest.put(new String(message.key(), UTF_8), result);
          }
        });
    return latest;
  }

  private static long sum(Map<String, JsonNode> latest, String stage, String counter) {
    return latest.values().stream()
        .filter(report -> report.path("stage").asText().equals(stage))
        .mapToLong(report -> report.path(counter).asLong())
        .sum();
  }

  private static JsonNode json(byte[] message) {
    try {
      return new ObjectMapper().readTree(message);
    } catch (IOException e) {
      throw new UncheckedIOException("not JSON", e);
    }
  }
}
