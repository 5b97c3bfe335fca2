// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.harness.CommittedMessages;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.questdb.process.QuestDbProcess;
import dev.flowstone.testbed.faults.MortalBroker;
import dev.flowstone.testbed.faults.ZooKeeperServer;
import dev.flowstone.testbed.flink.ClusterStatus;
import dev.flowstone.testbed.flink.DeploymentCommands;
import dev.flowstone.testbed.flink.FlinkRest;
import dev.flowstone.testbed.kafka.PacketDigest;
import dev.flowstone.testbed.kafka.QuestDbTables;
import dev.flowstone.testbed.programs.FreeMemory;
import dev.flowstone.testbed.programs.Programs;
import dev.flowstone.testbed.programs.ProjectRoot;
import dev.flowstone.testbed.programs.SaidWords;
import dev.flowstone.testbed.rings.AwaitedRings;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * All functions by rules on a cluster, under a steady stream, while a TaskManager, the JobManager,
 * the broker and QuestDB are killed, in an order and at moments that nobody chose. What Kafka and
 * QuestDB have then is held against an undisturbed run of the same job on the same rings, which
 * have room for all packets and keep them.
 */
@Tag("undisturbed")
@Tag("slow")
class PlatformFaultsITCase {
  private static final int RINGS = 2;
  private static final int RATE = 1_000_000;

  /** The second run reads again all that came while they were killed: at this rate half of it. */
  private static final int BRIEF_RATE = RATE / 2;

  private static final long MOST_RING_BYTES = 4L << 30;
  private static final int RECORD_BYTES = 64;

  /** Longer than all faults take, where nothing else is at work. */
  private static final long MOST_SECONDS = 90;

  /** Of the rate: starting the job takes a while, in which nobody asks for packets. */
  private static final double LEAST_OF_RATE = 0.8;

  private static final Duration AWAY = Duration.ofSeconds(10);
  private static final int MOST_CALM_MS = 3_000;
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final Duration CLUSTER_LIMIT = Duration.ofMinutes(2);

  private static final String RULES =
      """
      rules:
        - name: shops
          priority: 10
          match: {protocol: tcp, destination_port: 80}
          function: {anomaly: [{detect: syn_flood, threshold: 50, window: 4s, slide: 1s, least_completed_percent: 30},
            {detect: syn_flood, threshold: 20, thresholds: [{prefix: 0.0.0.0/1, threshold: 30}], baseline: {times: 2, half_life: 4s}}]}
        - {name: names, priority: 9, match: {source_port: 53}, function: {histogram: {of: [inter_arrival, packet_size], interval: 1s}}}
        - {name: pings, priority: 8, match: {protocol: icmp}, function: {histogram: {per: flow, interval: 5s}}}
        - {name: quic, priority: 7, match: {protocol: udp, destination_port: 443}, function: {aggregate: {active_timeout: 5s, idle_timeout: 2s}}}
        - {name: lone, priority: 6, match: {protocol: udp, destination_port: 1-1023}, function: {user: {class: dev.flowstone.endtoend.CountedSeconds, options: {seconds: "2"}}}}
        - {name: sizes, priority: 6, match: {protocol: udp, destination_port: 1024-20000}, function: {histogram: {of: [packet_size], per: source_prefix, ipv4_bits: 6, interval: 5s}}}
        - {name: datagrams, priority: 6, match: {protocol: udp}, function: drop}
        - name: opened
          priority: 5
          match: {protocol: tcp, tcp_flags: syn and not ack}
          function: {anomaly: [{detect: syn_flood, threshold: 1000}, {detect: host_scan, threshold: 100}]}
        - {name: closed, priority: 4, match: {protocol: tcp, tcp_flags: 1/1}, function: {pass: {anonymise: campus}}}
        - {name: whole, priority: 3, match: {source_port: 443}, function: {sample: {one_in: 64, by: flows}}}
        - {name: lots, priority: 3, match: {destination_port: 443}, function: {sample: {one_in: 64, by: random, seed: 5}}}
      default: {function: {sample: {one_in: 16}}}
      """;

  private static final List<String> TABLES =
      List.of("flow_record", "histogram", "alert", "syn_window", CountedSeconds.KIND);

  private enum Victim {
    TASK_MANAGER,
    JOB_MANAGER,
    BROKER,
    QUESTDB
  }

  @TempDir private Path folder;
  private ScratchFolder rings;
  private MortalBroker broker;
  private QuestDbProcess questDb;
  private ZooKeeperServer zooKeeper;
  private DeploymentCommands commands;
  private final List<Victim> notTried = new ArrayList<>();

  @BeforeEach
  void start() throws Exception {
    rings = ScratchFolder.inMemory("platform-faults");
    broker = MortalBroker.start(folder.resolve("kafka"));
    questDb = QuestDbProcess.start(folder.resolve("questdb"), QuestDbProcess.ANY_PORT);
    zooKeeper = ZooKeeperServer.start(folder.resolve("zookeeper"));
    commands = new DeploymentCommands(folder, "FLINK_CONF_DIR=" + flinkConfiguration());
  }

  @AfterEach
  void stop() {
    zooKeeper.close();
    questDb.close();
    broker.close();
    rings.close();
  }

  /**
   * Ours, with a JobManager whose jobs outlive it. Deaths are noticed sooner and nobody waits
   * longer to start again, because all packets from meanwhile have to be read twice.
   */
  private Path flinkConfiguration() throws Exception {
    Path own = Files.createDirectories(folder.resolve("flink-conf"));
    String ours = Files.readString(ProjectRoot.find().resolve("flink-conf/config.yaml"));
    for (String usual : List.of("heartbeat.interval: 2 s", "max-backoff: 30 s")) {
      assertThat(ours).contains(usual);
    }
    Files.writeString(
        own.resolve("config.yaml"),
        ours.replace("heartbeat.interval: 2 s", "heartbeat.interval: 500 ms")
                .replace("max-backoff: 30 s", "max-backoff: 1 s")
            + """

            high-availability.type: zookeeper
            high-availability.zookeeper.client.session-timeout: 3 s
            high-availability.zookeeper.quorum: %s
            high-availability.storageDir: %s
            """
                .formatted(zooKeeper.address(), folder.resolve("ha").toUri()));
    return own;
  }

  @Test
  @Timeout(900)
  void shouldTellTheSameAsAnUndisturbedJobWhenEachIsKilled() throws Exception {
    killEachOnce(BRIEF_RATE, 1);
    assertThat(notTried).as("the tap had sent all before these were killed").isEmpty();
  }

  /** Each time in another order; on a machine that can do it, or it says why not. */
  @RepeatedTest(20)
  @Timeout(900)
  void shouldTellTheSameAsAnUndisturbedJobHoweverTheyAreKilled(RepetitionInfo repetition)
      throws Exception {
    double packetsPerSecond = killEachOnce(RATE, repetition.getCurrentRepetition());
    assertThat(notTried).isEmpty();
    assertThat(packetsPerSecond).isGreaterThan(LEAST_OF_RATE * RATE);
  }

  /** Returns how many packets a second there were while they were killed. */
  private double killEachOnce(int rate, int repetition) throws Exception {
    long seed = Long.getLong("flowstone.seed", System.nanoTime()) + repetition - 1;
    System.out.println(
        "PlatformFaultsITCase: seed " + seed + "; again with -Dflowstone.seed=" + seed);
    Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
    createTopics("disturbed");
    createTopics("calm");
    String started =
        commands.cluster("start", "--web-port", "0", "--slots", "1", "--task-managers", "2");
    try (FlinkRest rest = new FlinkRest(SaidWords.web(started))) {
      long beginNs;
      long endNs;
      try (ChildProcess tap = startTap(rate)) {
        AwaitedRings.in(rings.path(), RINGS);
        // The first packet comes with the first reader.
        beginNs = System.nanoTime();
        String job = submit("disturbed", rules, "1 s");
        rest.awaitNextCheckpoint(job);
        killEach(new Random(seed), rest, job, tap);
        endNs = System.nanoTime();
        tap.input().close();
        Programs.requireSuccess(tap, LIMIT);
        rest.awaitFinished(job, LIMIT);
        System.out.printf(
            "PlatformFaultsITCase: finished %,d ms after the tap%n",
            Duration.ofNanos(System.nanoTime() - endNs).toMillis());
      }
      Map<String, List<String>> disturbedRows = rows();
      requireStages();
      questDb.close();
      questDb = QuestDbProcess.start(folder.resolve("questdb-of-calm"), QuestDbProcess.ANY_PORT);
      rest.awaitFinished(submit("calm", rules, "5 s"), LIMIT);
      hold(disturbedRows);
      return report().get("offered").asLong() * 1e9 / (endNs - beginNs);
    } finally {
      commands.cluster("stop");
    }
  }

  private void hold(Map<String, List<String>> disturbedRows) throws Exception {
    PacketDigest disturbed = PacketDigest.of(topic("disturbed"), LIMIT);
    PacketDigest calm = PacketDigest.of(topic("calm"), LIMIT);
    List<String> results = results("calm");
    System.out.printf(
        "PlatformFaultsITCase: %,d packets offered, %,d carried, %,d results, %s%n",
        report().get("offered").asLong(), calm.packets(), results.size(), kinds(results));
    for (JsonNode ring : report().get("rings")) {
      assertThat(ring.get("dropped").asLong()).isZero();
    }
    assertThat(calm.packets()).isPositive();
    assertThat(calm.lost()).isZero();
    assertThat(disturbed.lost()).isZero();
    assertThat(disturbed.groups()).isEqualTo(calm.groups());
    assertThat(kinds(results)).containsOnlyKeys(TABLES);
    assertThat(calm.groups().keySet().stream().map(each -> each.replaceAll(".*rule", "rule")))
        .contains(
            "rule 9, weight 1", "rule 10, weight 64", "rule 11, weight 64", "rule 12, weight 16");
    for (String rule : List.of("shops", "names", "pings", "sizes", "lone")) {
      assertThat(results).anyMatch(each -> each.contains("\"rule\":\"%s\"".formatted(rule)));
    }
    for (String detector : List.of("syn_flood", "syn_flood-2", "host_scan")) {
      assertThat(results)
          .anyMatch(each -> each.contains("\"detector\":\"%s\"".formatted(detector)));
    }
    assertSame(results("disturbed"), results);
    Map<String, List<String>> calmRows = rows();
    for (String table : TABLES) {
      assertThat(calmRows.get(table)).as(table).isNotEmpty();
      assertSame(disturbedRows.get(table), calmRows.get(table));
    }
    requireReadableHistograms();
    requireStages();
  }

  /** As anybody reads them who has nothing but the table and the HdrHistogram library. */
  private void requireReadableHistograms() throws Exception {
    List<String> rows = rowsOf("SELECT count, overflow, histogram FROM histogram");
    assertThat(rows).hasSizeGreaterThan(1);
    for (String row : rows) {
      String[] columns = row.replace("\"", "").split(",", -1);
      ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(columns[2]));
      assertThat(
              Histogram.decodeFromCompressedByteBuffer(bytes, 0).getTotalCount()
                  + Long.parseLong(columns[1]))
          .as(row)
          .isEqualTo(Long.parseLong(columns[0]));
    }
  }

  /** What stages count, and by which rules, was told in either run's way. */
  private void requireStages() throws Exception {
    List<String> stages =
        rowsOf("SELECT DISTINCT stage FROM stage").stream()
            .map(row -> row.replace("\"", ""))
            .toList();
    assertThat(stages).contains("Rules", "Flow records", "Histograms", "Detectors", "Alerts");
    assertThat(rowsOf("SELECT max(rules_version) FROM stage")).containsExactly("1");
  }

  private List<String> rowsOf(String query) throws Exception {
    try (QuestDbTables tables = new QuestDbTables(questDb.address())) {
      return tables.ask(query);
    }
  }

  /** With a word on a few that differ: there may be hundreds of thousands. */
  private static void assertSame(List<String> found, List<String> expected) {
    List<String> missing = new ArrayList<>(expected);
    Map<String, Integer> counts = new TreeMap<>();
    found.forEach(line -> counts.merge(line, 1, Integer::sum));
    missing.removeIf(line -> counts.computeIfPresent(line, (_, count) -> count - 1) != null);
    List<String> tooMany =
        counts.entrySet().stream()
            .filter(each -> each.getValue() > 0)
            .map(Map.Entry::getKey)
            .toList();
    assertThat(missing.stream().limit(5).toList())
        .as(
            "%d missing, %d too many, such as %s",
            missing.size(), tooMany.size(), tooMany.stream().limit(5).toList())
        .isEmpty();
    assertThat(found).hasSameSizeAs(expected);
  }

  private static Map<String, Long> kinds(List<String> results) throws Exception {
    Map<String, Long> kinds = new TreeMap<>();
    for (String result : results) {
      kinds.merge(new ObjectMapper().readTree(result).get("kind").asText(), 1L, Long::sum);
    }
    return kinds;
  }

  private void killEach(Random random, FlinkRest rest, String job, ChildProcess tap)
      throws Exception {
    List<Victim> order = new ArrayList<>(List.of(Victim.values()));
    Collections.shuffle(order, random);
    for (Victim victim : order) {
      Thread.sleep(random.nextInt(MOST_CALM_MS));
      if (!tap.isAlive()) {
        // A machine that is busy breaks no promise.
        notTried.add(victim);
        System.out.printf(
            "PlatformFaultsITCase: NOT TRIED to kill %s: all that the rings can keep for the second run was sent before; %s%n",
            victim, Programs.said(tap));
        continue;
      }
      long beginNs = System.nanoTime();
      kill(victim);
      rest.awaitNextCheckpoint(job);
      System.out.printf(
          "PlatformFaultsITCase: %s: %,d ms from its death to the next checkpoint%n",
          victim, Duration.ofNanos(System.nanoTime() - beginNs).toMillis());
    }
  }

  private void kill(Victim victim) throws Exception {
    switch (victim) {
      case TASK_MANAGER ->
          ClusterStatus.await(commands, CLUSTER_LIMIT, "taskmanager-1 pid").kill("taskmanager-1");
      case JOB_MANAGER ->
          ClusterStatus.await(commands, CLUSTER_LIMIT, "jobmanager pid").kill("jobmanager");
      case BROKER -> {
        broker.kill();
        Thread.sleep(AWAY.toMillis());
        broker.startAgain();
      }
      case QUESTDB -> {
        int port = questDb.port();
        questDb.kill();
        Thread.sleep(AWAY.toMillis());
        questDb = QuestDbProcess.start(folder.resolve("questdb"), port);
      }
    }
  }

  private KafkaTopic topic(String name) {
    return new KafkaTopic(broker.bootstrapServers(), name);
  }

  private void createTopics(String name) throws Exception {
    topic(name).create(RINGS);
    topic(name + "-results").create(RINGS);
  }

  private String submit(String name, Path rules, String checkpointInterval) throws Exception {
    String said =
        commands.submit(
            "platform",
            "--name",
            name,
            "--rings",
            rings.path().toString(),
            "--bounded",
            "--bootstrap-servers",
            broker.bootstrapServers(),
            "--topic",
            name,
            "--results-topic",
            name + "-results",
            "--questdb",
            questDb.address().toString(),
            "--rules",
            rules.toString(),
            "--functions",
            CountedSeconds.jarIn(folder).toString(),
            "--anonymise-key",
            "campus=" + Files.write(folder.resolve("key"), new byte[32]),
            "--checkpoint-interval",
            checkpointInterval,
            "--parallelism",
            "" + RINGS);
    return SaidWords.jobId(said);
  }

  /** What a read_committed consumer finds, but for what tells of the run itself. */
  private List<String> results(String name) throws Exception {
    List<String> results = new ArrayList<>();
    CommittedMessages.readAll(
        topic(name + "-results"),
        LIMIT,
        message -> {
          String result = new String(message.value(), StandardCharsets.UTF_8);
          if (!result.contains("\"kind\":\"stage\"")) {
            results.add(result);
          }
        });
    return results;
  }

  private Map<String, List<String>> rows() throws Exception {
    Map<String, List<String>> rows = new TreeMap<>();
    try (QuestDbTables tables = new QuestDbTables(questDb.address())) {
      for (String table : TABLES) {
        tables.awaitAllRows(table);
        // Of a user's kind columns come with the first rows that have them, in whatever order. The
        // two jobs differ in their names.
        List<String> columns =
            tables.ask(
                "SELECT \"column\" FROM table_columns('%s') WHERE \"column\" NOT IN ('job', 'result_key') ORDER BY 1"
                    .formatted(table));
        rows.put(
            table, tables.ask("SELECT %s FROM %s".formatted(String.join(",", columns), table)));
      }
    }
    return rows;
  }

  private ChildProcess startTap(int wanted) throws Exception {
    long room = Math.min(Files.getFileStore(rings.path()).getUsableSpace(), FreeMemory.bytes());
    long ringBytes = Math.min(MOST_RING_BYTES, Long.highestOneBit(room / 2 / RINGS));
    // Rings keep all for the second run: the busier of two has a good half of the packets.
    long most = RINGS * ringBytes / RECORD_BYTES * 3 / 4;
    long rate = Math.min(wanted, most / MOST_SECONDS);
    if (rate < wanted) {
      System.out.printf(
          "PlatformFaultsITCase: NOT TRIED at %,d packets/s, but at the %,d for which rings of %,d bytes have room%n",
          wanted, rate, ringBytes);
    }
    List<String> arguments =
        List.of(
            "synthetic",
            "--preset",
            "syn-flood",
            "--rate",
            "" + rate,
            "--packets",
            "" + most,
            "--rings",
            rings.path().toString(),
            "--ring-count",
            "" + RINGS,
            "--ring-bytes",
            "" + ringBytes,
            "--stop-on-stdin-end",
            "--wait-for-reader",
            "--when-full",
            "drop",
            "--report",
            folder.resolve("tap.json").toString());
    return ChildProcess.start(
        Programs.of(folder, "tap", "dev.flowstone.tap.command.TapCommand", arguments)
            .withJvmOptions("-Xmx512m", "-XX:+UseSerialGC"),
        ChildOutput.gatheredIn(folder));
  }

  private JsonNode report() throws Exception {
    return new ObjectMapper().readTree(folder.resolve("tap.json").toFile());
  }
}
