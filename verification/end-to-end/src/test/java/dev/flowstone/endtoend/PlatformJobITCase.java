// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.connector.fpga.FlowExchange;
import dev.flowstone.connector.fpga.RingBlocks;
import dev.flowstone.harness.CommittedMessages;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.harness.failure.FailureInjection;
import dev.flowstone.harness.failure.FailureInjection.Place;
import dev.flowstone.jobs.platform.PlatformJob;
import dev.flowstone.jobs.platform.PlatformOptions;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.testbed.kafka.PublishedKinds;
import dev.flowstone.testbed.kafka.ReadPacket;
import dev.flowstone.testbed.kafka.ReadSample;
import dev.flowstone.testbed.programs.Programs;
import dev.flowstone.testbed.rings.AwaitedRings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every function by rules in one job, which fails in the middle and goes on. What Kafka has then is
 * held, rule by rule, against all packets of the same rings.
 */
@Timeout(240)
class PlatformJobITCase {
  private static final int PARALLELISM = 2;
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final Duration CHECKPOINT_INTERVAL = Duration.ofMillis(200);
  private static final int ONE_IN = 4;
  private static final int UDP_RULE = 5;
  private static final int DEFAULT_RULE = 6;
  private static final int HTTPS = 443;
  private static final int TCP = 6;
  private static final int UDP = 17;
  private static final int ICMP = 1;
  private static final int SYN = 2;
  private static final int SYN_AND_ACK = 0x12;
  private static final long WINDOW_NS = 5_000_000_000L;
  private static final int THRESHOLD = 1;

  private static final String RULES =
      """
      rules:
        - {name: from-web, match: {source_port: 443}, function: {histogram: {of: [packet_size], interval: 1s}}}
        - {name: to-web, match: {destination_port: 443}, function: aggregate, topic: web-TRIAL}
        - {name: pings, match: {protocol: icmp}, function: drop}
        - name: opened
          match: {protocol: tcp, tcp_flags: syn and not ack}
          function: {anomaly: [{detect: syn_flood, threshold: 1}]}
        - {name: udp, match: {protocol: udp}, function: {sample: {one_in: 4}}, topic: udp-TRIAL}
      default: {function: pass}
      """;

  /** All of it in packets, histograms or records, from rings that soon are full. */
  private static final String RULES_OF_FEW_FUNCTIONS =
      """
      rules:
        - {name: from-web, match: {source_port: 443}, function: {histogram: {of: [packet_size], interval: 1s}}}
        - {name: to-web, match: {destination_port: 443}, function: aggregate}
        - {name: udp, match: {protocol: udp}, function: {histogram: {per: flow, of: [packet_size], interval: 1s}}}
      default: {function: pass}
      """;

  /** What is carried how. */
  enum Trial {
    /** Two rings are filled by the subtasks' key groups. */
    BY_FLOW(2, DeliveryGuarantee.EXACTLY_ONCE, RULES, 5_000),
    /** Of three, flows go to another subtask. */
    EXCHANGED(3, DeliveryGuarantee.EXACTLY_ONCE, RULES, 5_000),
    /** One subtask has no ring to read, and half of the flows all the same. */
    AT_LEAST_ONCE(1, DeliveryGuarantee.AT_LEAST_ONCE, RULES, 5_000),
    WITHOUT_ROOM(2, DeliveryGuarantee.EXACTLY_ONCE, RULES_OF_FEW_FUNCTIONS, 20_000);

    private final int rings;
    private final DeliveryGuarantee delivery;
    private final String rules;
    private final int packetsPerSecond;

    Trial(int rings, DeliveryGuarantee delivery, String rules, int packetsPerSecond) {
      this.rings = rings;
      this.delivery = delivery;
      this.rules = rules;
      this.packetsPerSecond = packetsPerSecond;
    }

    String named(String topic) {
      return topic + "-" + name();
    }

    KafkaTopic topic(String name) {
      return new KafkaTopic(broker.bootstrapServers(), named(name));
    }
  }

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

  @ParameterizedTest
  @EnumSource(names = "EXCHANGED")
  void shouldDoWithEachPacketWhatItsRuleSaysWhateverFails(Trial trial) throws Exception {
    requireEachPacketByItsRule(trial);
  }

  @ParameterizedTest
  @EnumSource(names = {"BY_FLOW", "AT_LEAST_ONCE"})
  @Tag("slow")
  void shouldDoTheSameByFlowAndAtLeastOnce(Trial trial) throws Exception {
    requireEachPacketByItsRule(trial);
  }

  private static void requireEachPacketByItsRule(Trial trial) throws Exception {
    for (String topic : List.of("all", "packets", "udp")) {
      trial.topic(topic).create(trial.rings);
    }
    trial.topic("results").create(1);
    trial.topic("web").create(1);
    try (ScratchFolder rings = ScratchFolder.inMemory("platform")) {
      runAndFail(rings.path(), trial, "64m", Duration.ofMillis(100));
      carryAll(rings.path(), trial);
    }
    assertThat(hasTransactions(trial)).isEqualTo(trial.delivery == DeliveryGuarantee.EXACTLY_ONCE);
    ReadSample all = ReadSample.of(trial.topic("all"));
    assertThat(all.packets()).isEqualTo(report().get("offered").asLong()).isPositive();
    assertThat(all.streams()).hasSize(trial.rings);
    checkPackets(all, ReadSample.of(trial.topic("packets")), trial);
    checkSample(all, ReadSample.of(trial.topic("udp")), trial);
    List<JsonNode> told = told("results", trial);
    List<JsonNode> ofWeb = told("web", trial);
    checkForm(Stream.concat(told.stream(), ofWeb.stream()).toList());
    List<JsonNode> stages = told.stream().filter(PlatformJobITCase::isOfStage).toList();
    List<JsonNode> results = told.stream().filter(each -> !isOfStage(each)).toList();
    checkHistograms(all, ofRule(results, "from-web"));
    checkFlowRecords(all, ofRule(ofWeb, "to-web"));
    assertThat(ofRule(results, "to-web")).isEmpty();
    checkWindows(all, ofRule(results, "opened"));
    assertThat(results).extracting(each -> each.get("rule").asText()).doesNotContain("pings");
    assertThat(stages).extracting(each -> each.get("rule").asText()).contains("pings");
    assertThat(stages).anySatisfy(each -> assertThat(each.path("rules_version").asLong()).isOne());
  }

  private static boolean hasTransactions(Trial trial) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
      return admin.listTransactions().all().get().stream()
          .anyMatch(each -> each.transactionalId().startsWith(trial.named("packets")));
    }
  }

  /**
   * More comes while the job is away than the rings hold: what results and packets account for, and
   * what is told as lost, is what was offered.
   */
  @Test
  void shouldTellExactlyWhatIsLostWhereRingsHaveNoRoom() throws Exception {
    Trial trial = Trial.WITHOUT_ROOM;
    trial.topic("packets").create(trial.rings);
    trial.topic("results").create(1);
    try (ScratchFolder rings = ScratchFolder.inMemory("platform")) {
      runAndFail(rings.path(), trial, "512k", Duration.ofSeconds(1));
    }
    ReadSample passed = ReadSample.of(trial.topic("packets"));
    long dropped = 0;
    for (JsonNode ring : report().get("rings")) {
      dropped += ring.get("dropped").asLong();
    }
    assertThat(passed.lost()).isEqualTo(dropped).isPositive();
    long accounted = passed.packets() + passed.lost();
    List<JsonNode> results = told("results", trial);
    for (String rule : List.of("from-web", "to-web", "udp")) {
      long packets = packets(ofRule(results, rule));
      assertThat(packets).as(rule).isPositive();
      accounted += packets;
    }
    assertThat(accounted).isEqualTo(report().get("offered").asLong());
  }

  private static long packets(List<JsonNode> results) {
    return results.stream()
        .filter(result -> !isOfStage(result))
        .mapToLong(result -> result.get("packets").asLong())
        .sum();
  }

  /** Repeated ones are read once where they may be repeated. */
  private static List<JsonNode> told(String topic, Trial trial) throws Exception {
    List<JsonNode> told = new ArrayList<>();
    CommittedMessages.readAll(
        trial.topic(topic), LIMIT, message -> told.add(json(message.value())));
    return once(told, trial);
  }

  private static <T> List<T> once(List<T> found, Trial trial) {
    if (trial.delivery == DeliveryGuarantee.EXACTLY_ONCE) {
      return found;
    }
    List<T> once = found.stream().distinct().toList();
    System.out.printf(
        "PlatformJobITCase: %d of %d repeated%n", found.size() - once.size(), found.size());
    return once;
  }

  /** This job has all functions, so it tells every kind that there is. */
  private static void checkForm(List<JsonNode> told) {
    PublishedKinds kinds = new PublishedKinds();
    told.forEach(kinds::require);
    assertThat(told.stream().map(each -> each.get("kind").asText()).distinct())
        .containsExactlyInAnyOrderElementsOf(kinds.names());
  }

  private static boolean isOfStage(JsonNode result) {
    return result.get("kind").asText().equals("stage");
  }

  private static boolean isFromWeb(ReadPacket packet) {
    return packet.tuple().sourcePort() == HTTPS;
  }

  private static boolean isToWeb(ReadPacket packet) {
    return !isFromWeb(packet) && packet.tuple().destinationPort() == HTTPS;
  }

  private static boolean isOther(ReadPacket packet, int protocol) {
    return !isFromWeb(packet) && !isToWeb(packet) && packet.tuple().protocol() == protocol;
  }

  private static boolean isOpened(ReadPacket packet) {
    return isOther(packet, TCP) && (packet.tcpFlags() & SYN_AND_ACK) == SYN;
  }

  private static boolean isOfNoRule(ReadPacket packet) {
    return !isFromWeb(packet)
        && !isToWeb(packet)
        && !isOther(packet, UDP)
        && !isOther(packet, ICMP)
        && !isOpened(packet);
  }

  /** All of no other rule, in their order. */
  private static void checkPackets(ReadSample all, ReadSample passed, Trial trial) {
    for (long stream : all.streams()) {
      List<ReadPacket> expected = of(all, stream, PlatformJobITCase::isOfNoRule);
      assertThat(expected).isNotEmpty();
      assertSame(passed.of(stream, DEFAULT_RULE, 1), expected, trial);
    }
    assertThat(passed.streams()).isEqualTo(all.streams());
    assertThat(passed.rules()).containsExactly(DEFAULT_RULE);
    assertThat(passed.weights()).containsExactly(1);
  }

  private static void checkSample(ReadSample all, ReadSample sample, Trial trial) {
    assertThat(sample.rules()).containsExactly(UDP_RULE);
    for (long stream : all.streams()) {
      List<ReadPacket> datagrams = of(all, stream, packet -> isOther(packet, UDP));
      List<ReadPacket> expected =
          IntStream.range(0, datagrams.size())
              .filter(i -> i % ONE_IN == 0)
              .mapToObj(datagrams::get)
              .toList();
      assertThat(expected).isNotEmpty();
      assertSame(sample.of(stream, UDP_RULE, ONE_IN), expected, trial);
    }
  }

  private static void assertSame(List<ReadPacket> found, List<ReadPacket> expected, Trial trial) {
    assertThat(once(found.stream().map(ReadPacket::withoutAddresses).toList(), trial))
        .isEqualTo(expected.stream().map(ReadPacket::withoutAddresses).toList());
  }

  private static void checkHistograms(ReadSample all, List<JsonNode> histograms) {
    Map<Long, Long> expected = new TreeMap<>();
    long second = TimeUnit.SECONDS.toNanos(1);
    all.forEach(
        packet -> {
          if (isFromWeb(packet)) {
            expected.merge(packet.timeNs() / second * second, 1L, Long::sum);
          }
        });
    Map<Long, Long> found = new TreeMap<>();
    for (JsonNode histogram : histograms) {
      assertThat(histogram.get("kind").asText()).isEqualTo("histogram");
      assertThat(found.put(histogram.get("begin_ns").asLong(), histogram.get("packets").asLong()))
          .isNull();
    }
    assertThat(found).isEqualTo(expected);
    assertThat(expected).isNotEmpty();
  }

  private static void checkFlowRecords(ReadSample all, List<JsonNode> records) {
    Map<String, Long> packets = new HashMap<>();
    Map<String, Long> bytes = new HashMap<>();
    all.forEach(
        packet -> {
          if (isToWeb(packet)) {
            packets.merge(nameOf(packet), 1L, Long::sum);
            bytes.merge(nameOf(packet), (long) packet.frameLength(), Long::sum);
          }
        });
    assertThat(packets).isNotEmpty();
    assertThat(sums(records, record -> record.get("packets").asLong())).isEqualTo(packets);
    assertThat(sums(records, record -> record.get("bytes").asLong())).isEqualTo(bytes);
  }

  private static Map<String, Long> sums(List<JsonNode> records, ToLongFunction<JsonNode> value) {
    Map<String, Long> sums = new HashMap<>();
    for (JsonNode record : records) {
      String flow =
          record.get("source_address").asText()
              + " "
              + record.get("source_port").asInt()
              + " "
              + record.get("destination_address").asText();
      sums.merge(flow + " " + record.get("protocol").asInt(), value.applyAsLong(record), Long::sum);
    }
    return sums;
  }

  private static String nameOf(ReadPacket packet) {
    var flow = packet.tuple();
    return flow.sourceAddress()
        + " "
        + flow.sourcePort()
        + " "
        + flow.destinationAddress()
        + " "
        + flow.protocol();
  }

  private static void checkWindows(ReadSample all, List<JsonNode> results) {
    Map<String, Long> expected = new TreeMap<>();
    all.forEach(
        packet -> {
          if (isOpened(packet)) {
            long beginNs = packet.timeNs() / WINDOW_NS * WINDOW_NS;
            expected.merge(beginNs + " " + packet.tuple().destinationAddress(), 1L, Long::sum);
          }
        });
    expected.values().removeIf(count -> count <= THRESHOLD);
    Map<String, Long> found = new TreeMap<>();
    for (JsonNode result : results) {
      if (result.get("kind").asText().equals("syn_window")) {
        String window =
            result.get("window_begin_ns").asLong() + " " + result.get("destination").asText();
        assertThat(found.put(window, result.get("count").asLong())).isNull();
      }
    }
    assertThat(found).isEqualTo(expected);
    assertThat(expected).isNotEmpty();
    assertThat(results).extracting(each -> each.get("kind").asText()).contains("alert");
  }

  private static List<ReadPacket> of(ReadSample all, long stream, Predicate<ReadPacket> isMeant) {
    return all.of(stream, 0, 1).stream().filter(isMeant).toList();
  }

  private static List<JsonNode> ofRule(List<JsonNode> results, String rule) {
    return results.stream().filter(each -> each.get("rule").asText().equals(rule)).toList();
  }

  /** The traffic ends after the job has recovered. The job ends when it has read all packets. */
  private static void runAndFail(Path rings, Trial trial, String ringBytes, Duration away)
      throws Exception {
    PlatformOptions options = options(rings, "packets", trial);
    options.resultsTopic = trial.named("results");
    options.kafka.delivery = trial.delivery;
    options.rules.file =
        Files.writeString(folder.resolve("rules.yaml"), trial.rules.replace("TRIAL", trial.name()));
    try (ChildProcess tap = startTap(rings, trial, ringBytes);
        FailureInjection failures = new FailureInjection()) {
      AwaitedRings.in(rings, trial.rings);
      StreamExecutionEnvironment environment = environment(away);
      RingBlocks read =
          FlowExchange.AUTO.read(environment, options.rings.source(options.name), "rings");
      assertThat(read.areByFlow()).isEqualTo(trial.rings % PARALLELISM == 0);
      PlatformJob.byRules(new RingBlocks(failures.in(read.packets()), read.areByFlow()), options);
      JobClient job = environment.executeAsync(options.name);
      failures.failOnce(Place.PROCESSING);
      tap.input().close();
      Programs.requireSuccess(tap, LIMIT);
      job.getJobExecutionResult().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }
  }

  /** Every packet: the rings have room for all, and keep them. */
  private static void carryAll(Path rings, Trial trial) throws Exception {
    StreamExecutionEnvironment environment = environment(Duration.ZERO);
    PlatformJob.build(environment, options(rings, "all", trial));
    environment.execute("all");
  }

  private static PlatformOptions options(Path rings, String topic, Trial trial) {
    PlatformOptions options = new PlatformOptions();
    options.rings.folders = List.of(rings);
    options.rings.bounded = true;
    options.topic = trial.named(topic);
    options.name = options.topic;
    options.kafka.bootstrapServers = broker.bootstrapServers();
    options.batches.packets = 1_000;
    return options;
  }

  private static StreamExecutionEnvironment environment(Duration away) {
    Configuration configuration = new Configuration();
    configuration.set(StateBackendOptions.STATE_BACKEND, "rocksdb");
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, CHECKPOINT_INTERVAL);
    configuration.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY,
        folder.resolve("checkpoints").toUri().toString());
    FailureInjection.allowRestarts(configuration, away);
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.createLocalEnvironment(PARALLELISM, configuration);
    environment.setMaxParallelism(128);
    return environment;
  }

  private static ChildProcess startTap(Path rings, Trial trial, String ringBytes) throws Exception {
    List<String> arguments =
        List.of(
            "synthetic",
            "--rate",
            "" + trial.packetsPerSecond,
            "--rings",
            rings.toString(),
            "--ring-count",
            "" + trial.rings,
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

  private static JsonNode report() throws IOException {
    return new ObjectMapper().readTree(folder.resolve("tap.json").toFile());
  }

  private static JsonNode json(byte[] message) {
    try {
      return new ObjectMapper().readTree(message);
    } catch (IOException e) {
      throw new UncheckedIOException("not JSON", e);
    }
  }
}
