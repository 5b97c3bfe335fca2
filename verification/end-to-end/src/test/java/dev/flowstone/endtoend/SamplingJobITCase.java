// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.harness.failure.FailureInjection;
import dev.flowstone.harness.failure.FailureInjection.Place;
import dev.flowstone.jobs.platform.PlatformJob;
import dev.flowstone.jobs.platform.PlatformOptions;
import dev.flowstone.jobs.sampling.SamplingJob;
import dev.flowstone.jobs.sampling.SamplingOptions;
import dev.flowstone.model.FlowHash;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.questdb.process.QuestDbProcess;
import dev.flowstone.testbed.kafka.QuestDbTables;
import dev.flowstone.testbed.kafka.ReadPacket;
import dev.flowstone.testbed.kafka.ReadSample;
import dev.flowstone.testbed.programs.Programs;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The sampling job reads the rings of a tap, fails and recovers. The samples of a read_committed
 * consumer are compared with all packets. If packets are lost, the estimate is compared with the
 * counters of the tap.
 */
@Timeout(180)
class SamplingJobITCase {
  private static final int RING_COUNT = 2;
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final Duration CHECKPOINT_INTERVAL = Duration.ofMillis(200);
  private static final int ONE_IN = 10;
  private static final int FLOWS_ONE_IN = 4;

  private static final String RULES =
      """
      rules:
        - {name: web, match: {source_port: 443}, function: {sample: {one_in: 4, by: flows}}, topic: web}
        - {name: to-web, match: {destination_port: 443}, function: {sample: {one_in: 4, by: flows}}, topic: web}
      default:
        function: {sample: {one_in: 10, keep_syn_fin_rst: true, anonymise: campus}}
      """;
  private static final int DEFAULT_RULE = 3;

  @TempDir private static Path folder;
  private static BrokerProcess broker;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = BrokerProcess.start(BrokerOptions.in(folder.resolve("kafka")));
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @Test
  void shouldSampleEachPacketOfEachRingAsIfNothingHadFailed() throws Exception {
    for (String topic : List.of("all", "samples", "web")) {
      new KafkaTopic(broker.bootstrapServers(), topic).create(RING_COUNT);
    }
    try (ScratchFolder rings = ScratchFolder.inMemory("sampling");
        QuestDbProcess questDb =
            QuestDbProcess.start(folder.resolve("questdb"), QuestDbProcess.ANY_PORT)) {
      SamplingOptions options = options(rings.path(), "samples");
      options.questDb.address = questDb.address();
      options.rules.file = Files.writeString(folder.resolve("rules.yaml"), RULES);
      options.keys.files = Map.of("campus", Files.write(folder.resolve("key"), new byte[32]));
      sampleAndFail(rings.path(), options, "5000", "64m");
      carryAll(rings.path(), questDb.address());
      checkStages(questDb.address());
    }
    ReadSample all = ReadSample.of(new KafkaTopic(broker.bootstrapServers(), "all"));
    ReadSample samples = ReadSample.of(new KafkaTopic(broker.bootstrapServers(), "samples"));
    ReadSample web = ReadSample.of(new KafkaTopic(broker.bootstrapServers(), "web"));
    assertThat(all.lost() + samples.lost() + web.lost()).isZero();
    assertThat(all.packets()).isEqualTo(report().get("offered").asLong()).isPositive();

    checkWholeFlows(all, web);
    for (long stream : all.streams()) {
      checkCounted(all.of(stream, 0, 1), samples, stream);
    }
  }

  /** Neither job has results, so QuestDB gets what their stages counted, and Kafka nothing. */
  private static void checkStages(URI questDb) throws Exception {
    try (QuestDbTables tables = new QuestDbTables(questDb)) {
      tables.awaitAllRows("stage");
      assertThat(
              tables.ask(
                  "SELECT sum(most) FROM (SELECT ring, max(packets_consumed) most FROM stage WHERE"
                      + " job = 'all' AND ring IS NOT NULL)"))
          .containsExactly(report().get("offered").asText());
      assertThat(
              tables.ask(
                  "SELECT DISTINCT rules_version FROM stage WHERE job = 'samples' AND stage ="
                      + " 'Rules' AND rule = '*'"))
          .containsExactly("1");
      assertThat(
              tables.ask(
                  "SELECT DISTINCT rule FROM stage WHERE job = 'samples' AND packets_sampled > 0"
                      + " ORDER BY 1"))
          .containsExactly("\"default\"", "\"to-web\"", "\"web\"");
    }
  }

  /** Of a flow of the web all packets came, or none; about one flow of four. */
  private static void checkWholeFlows(ReadSample all, ReadSample web) {
    Map<FlowTuple, Long> flows = new HashMap<>();
    all.forEach(
        packet -> {
          if (packet.isWeb()) {
            flows.merge(packet.tuple().canonical(), 1L, Long::sum);
          }
        });
    Map<FlowTuple, Long> sampled = new HashMap<>();
    web.forEach(packet -> sampled.merge(packet.tuple().canonical(), 1L, Long::sum));
    assertThat(flows).containsAllEntriesOf(sampled);
    double expected = (double) flows.size() / FLOWS_ONE_IN;
    assertThat((double) sampled.size())
        .isBetween(expected - 5 * Math.sqrt(expected), expected + 5 * Math.sqrt(expected));
    assertThat(web.weights()).containsOnly(FLOWS_ONE_IN);
  }

  /** The others of a ring: connections all, of the rest the first and every tenth, in order. */
  private static void checkCounted(List<ReadPacket> all, ReadSample samples, long stream) {
    List<ReadPacket> others = all.stream().filter(packet -> !packet.isWeb()).toList();
    List<ReadPacket> connections = others.stream().filter(ReadPacket::isConnection).toList();
    List<ReadPacket> rest = others.stream().filter(packet -> !packet.isConnection()).toList();
    List<ReadPacket> everyTenth =
        IntStream.range(0, rest.size()).filter(i -> i % ONE_IN == 0).mapToObj(rest::get).toList();
    assertThat(samples.rules()).containsExactly(DEFAULT_RULE);
    checkAnonymous(connections, samples.of(stream, DEFAULT_RULE, 1));
    checkAnonymous(everyTenth, samples.of(stream, DEFAULT_RULE, ONE_IN));
  }

  private static void checkAnonymous(List<ReadPacket> expected, List<ReadPacket> found) {
    assertThat(expected).isNotEmpty();
    assertThat(found)
        .extracting(ReadPacket::withoutAddresses)
        .isEqualTo(expected.stream().map(ReadPacket::withoutAddresses).toList());
    Map<String, String> addresses = new HashMap<>();
    for (int i = 0; i < found.size(); i++) {
      FlowTuple before = expected.get(i).tuple();
      FlowTuple after = found.get(i).tuple();
      assertThat(found.get(i).flowHash()).isEqualTo(FlowHash.of(after));
      requireSame(addresses, before.sourceAddress(), after.sourceAddress());
      requireSame(addresses, before.destinationAddress(), after.destinationAddress());
    }
    Set<String> changed = new HashSet<>(addresses.values());
    assertThat(changed).hasSameSizeAs(addresses.keySet());
    long same = addresses.entrySet().stream().filter(e -> e.getKey().equals(e.getValue())).count();
    assertThat(same).isLessThan(addresses.size() / 10 + 2);
  }

  private static void requireSame(Map<String, String> addresses, String before, String after) {
    assertThat(addresses.computeIfAbsent(before, _ -> after)).isEqualTo(after);
  }

  /**
   * The rings are too small for the packets between two checkpoints: each loss is reported once.
   */
  @Test
  @Tag("slow")
  void shouldEstimateWhatWasOfferedAlsoWherePacketsAreLost() throws Exception {
    KafkaTopic topic = new KafkaTopic(broker.bootstrapServers(), "estimate");
    topic.create(RING_COUNT);
    try (ScratchFolder rings = ScratchFolder.inMemory("sampling")) {
      SamplingOptions options = options(rings.path(), topic.name());
      options.oneIn = ONE_IN;
      options.keepSynFinRst = true;
      sampleAndFail(rings.path(), options, "100000", "512k");
    }
    ReadSample sample = ReadSample.of(topic);
    long dropped = 0;
    for (JsonNode ring : report().get("rings")) {
      dropped += ring.get("dropped").asLong();
    }
    assertThat(sample.lost()).isEqualTo(dropped).isPositive();
    assertThat(sample.weights()).containsExactlyInAnyOrder(1, ONE_IN);
    long surplus = sample.estimate() + sample.lost() - report().get("offered").asLong();
    assertThat(surplus).isBetween(0L, (ONE_IN - 1L) * RING_COUNT);
  }

  private static SamplingOptions options(Path rings, String name) {
    SamplingOptions options = new SamplingOptions();
    options.rings.folders = List.of(rings);
    options.rings.bounded = true;
    options.name = name;
    options.topic = name;
    options.kafka.bootstrapServers = broker.bootstrapServers();
    options.batches.packets = 1_000;
    return options;
  }

  /** The traffic ends after the job has recovered. The job ends when it has read all packets. */
  private static void sampleAndFail(
      Path rings, SamplingOptions options, String rate, String ringBytes) throws Exception {
    try (ChildProcess tap = startTap(rings, rate, ringBytes);
        FailureInjection failures = new FailureInjection()) {
      StreamExecutionEnvironment environment = environment();
      SamplingJob.sample(
          failures.in(
              environment
                  .fromSource(
                      SamplingJob.source(options), WatermarkStrategy.noWatermarks(), "Rings")
                  .uid("rings")),
          options);
      JobClient job = environment.executeAsync(options.name);
      failures.failOnce(Place.PROCESSING);
      tap.input().close();
      Programs.requireSuccess(tap, LIMIT);
      job.getJobExecutionResult().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }
  }

  private static StreamExecutionEnvironment environment() {
    Configuration configuration = new Configuration();
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, CHECKPOINT_INTERVAL);
    configuration.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY,
        folder.resolve("checkpoints").toUri().toString());
    FailureInjection.allowRestarts(configuration, Duration.ofMillis(100));
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.createLocalEnvironment(RING_COUNT, configuration);
    environment.setMaxParallelism(128);
    return environment;
  }

  /** Every packet: the rings have room for all, and keep them. */
  private static void carryAll(Path rings, URI questDb) throws Exception {
    PlatformOptions options = new PlatformOptions();
    options.rings.folders = List.of(rings);
    options.rings.bounded = true;
    options.name = "all";
    options.topic = "all";
    options.questDb.address = questDb;
    options.kafka.bootstrapServers = broker.bootstrapServers();
    StreamExecutionEnvironment environment = environment();
    PlatformJob.build(environment, options);
    environment.execute("all");
  }

  private static ChildProcess startTap(Path rings, String rate, String ringBytes) throws Exception {
    List<String> arguments =
        List.of(
            "synthetic",
            "--rate",
            rate,
            "--rings",
            rings.toString(),
            "--ring-count",
            "" + RING_COUNT,
            "--ring-bytes",
            ringBytes,
            "--when-full",
            "drop",
            "--stop-on-stdin-end",
            "--wait-for-reader",
            "--report",
            folder.resolve("tap.json").toString());
    return ChildProcess.start(
        Programs.of(folder, "tap", "dev.flowstone.tap.command.TapCommand", arguments)
            .withJvmOptions("-Xmx256m", "-XX:+UseSerialGC"),
        ChildOutput.gatheredIn(folder));
  }

  private static JsonNode report() throws Exception {
    return new ObjectMapper().readTree(folder.resolve("tap.json").toFile());
  }
}
