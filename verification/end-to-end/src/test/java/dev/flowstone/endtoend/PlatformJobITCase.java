// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.blocks.PacketBlockTypeInformation;
import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.connector.fpga.FlowExchange;
import dev.flowstone.connector.fpga.RingBlocks;
import dev.flowstone.harness.CommittedMessages;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.jobs.platform.PlatformJob;
import dev.flowstone.jobs.platform.PlatformOptions;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
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
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
        - {name: to-web, match: {destination_port: 443}, function: aggregate, topic: web-RINGS}
        - {name: pings, match: {protocol: icmp}, function: drop}
        - name: opened
          match: {protocol: tcp, tcp_flags: syn and not ack}
          function: {anomaly: [{detect: syn_flood, threshold: 1}]}
        - {name: udp, match: {protocol: udp}, function: {sample: {one_in: 4}}, topic: udp-RINGS}
      default: {function: pass}
      """;

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

  /** Two rings are filled by the subtasks' key groups; of three, flows go to another subtask. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void shouldDoWithEachPacketWhatItsRuleSaysWhateverFails(int ringCount) throws Exception {
    Saboteur.reset();
    for (String topic : List.of("all", "packets", "udp")) {
      topic(topic, ringCount).create(ringCount);
    }
    topic("results", ringCount).create(1);
    topic("web", ringCount).create(1);
    try (ScratchFolder rings = ScratchFolder.inMemory("platform")) {
      runAndFail(rings.path(), ringCount);
      carryAll(rings.path(), ringCount);
    }
    ReadSample all = ReadSample.of(topic("all", ringCount));
    assertThat(all.packets()).isEqualTo(report().get("offered").asLong()).isPositive();
    checkPackets(all, ReadSample.of(topic("packets", ringCount)), ringCount);
    checkSample(all, ReadSample.of(topic("udp", ringCount)));
    List<JsonNode> told = told("results", ringCount);
    List<JsonNode> ofWeb = told("web", ringCount);
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

  private static List<JsonNode> told(String topic, int ringCount) throws Exception {
    List<JsonNode> told = new ArrayList<>();
    CommittedMessages.readAll(
        topic(topic, ringCount), LIMIT, message -> told.add(json(message.value())));
    return told;
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

  private static KafkaTopic topic(String name, int ringCount) {
    return new KafkaTopic(broker.bootstrapServers(), name + "-" + ringCount);
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
  private static void checkPackets(ReadSample all, ReadSample passed, int ringCount) {
    assertThat(all.streams()).hasSize(ringCount);
    for (long stream : all.streams()) {
      List<ReadPacket> expected = of(all, stream, PlatformJobITCase::isOfNoRule);
      assertThat(expected).isNotEmpty();
      assertSame(passed.of(stream, DEFAULT_RULE, 1), expected);
    }
    assertThat(passed.packets()).isEqualTo(count(all, PlatformJobITCase::isOfNoRule));
  }

  private static void checkSample(ReadSample all, ReadSample sample) {
    for (long stream : all.streams()) {
      List<ReadPacket> datagrams = of(all, stream, packet -> isOther(packet, UDP));
      List<ReadPacket> expected =
          IntStream.range(0, datagrams.size())
              .filter(i -> i % ONE_IN == 0)
              .mapToObj(datagrams::get)
              .toList();
      assertThat(expected).isNotEmpty();
      assertSame(sample.of(stream, UDP_RULE, ONE_IN), expected);
    }
  }

  private static void assertSame(List<ReadPacket> found, List<ReadPacket> expected) {
    assertThat(found.stream().map(ReadPacket::withoutAddresses).toList())
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

  private static long count(ReadSample all, Predicate<ReadPacket> isMeant) {
    return all.streams().stream().mapToLong(stream -> of(all, stream, isMeant).size()).sum();
  }

  private static List<JsonNode> ofRule(List<JsonNode> results, String rule) {
    return results.stream().filter(each -> each.get("rule").asText().equals(rule)).toList();
  }

  /** The tap's traffic ends when the job has failed and gone on; the job, when it has read all. */
  private static void runAndFail(Path rings, int ringCount) throws Exception {
    PlatformOptions options = options(rings, "packets", ringCount);
    options.resultsTopic = "results-" + ringCount;
    options.rules.file =
        Files.writeString(folder.resolve("rules.yaml"), RULES.replace("RINGS", "" + ringCount));
    try (ChildProcess tap = startTap(rings, ringCount)) {
      AwaitedRings.in(rings, ringCount);
      StreamExecutionEnvironment environment = environment();
      RingBlocks read =
          FlowExchange.AUTO.read(environment, options.rings.source(options.name), "rings");
      assertThat(read.areByFlow()).isEqualTo(ringCount % PARALLELISM == 0);
      PlatformJob.byRules(
          new RingBlocks(
              read.packets()
                  .map(new Saboteur())
                  .returns(PacketBlockTypeInformation.INSTANCE)
                  .uid("saboteur"),
              read.areByFlow()),
          options);
      JobClient job = environment.executeAsync(options.name);
      Thread.sleep(5 * CHECKPOINT_INTERVAL.toMillis() + 1_500);
      Saboteur.failNext();
      while (!Saboteur.isDone()) {
        Thread.sleep(10);
      }
      Thread.sleep(2_000);
      tap.input().close();
      Programs.requireSuccess(tap, LIMIT);
      job.getJobExecutionResult().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }
  }

  /** Every packet: the rings have room for all, and keep them. */
  private static void carryAll(Path rings, int ringCount) throws Exception {
    StreamExecutionEnvironment environment = environment();
    PlatformJob.build(environment, options(rings, "all", ringCount));
    environment.execute("all");
  }

  private static PlatformOptions options(Path rings, String topic, int ringCount) {
    PlatformOptions options = new PlatformOptions();
    options.rings.folders = List.of(rings);
    options.rings.bounded = true;
    options.topic = topic + "-" + ringCount;
    options.name = options.topic;
    options.kafka.bootstrapServers = broker.bootstrapServers();
    options.batches.packets = 1_000;
    return options;
  }

  private static StreamExecutionEnvironment environment() {
    Configuration configuration = new Configuration();
    configuration.set(StateBackendOptions.STATE_BACKEND, "rocksdb");
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, CHECKPOINT_INTERVAL);
    configuration.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY,
        folder.resolve("checkpoints").toUri().toString());
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 1);
    configuration.set(
        RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(100));
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.createLocalEnvironment(PARALLELISM, configuration);
    environment.setMaxParallelism(128);
    return environment;
  }

  private static ChildProcess startTap(Path rings, int ringCount) throws Exception {
    List<String> arguments =
        List.of(
            "synthetic",
            "--rate",
            "20000",
            "--rings",
            rings.toString(),
            "--ring-count",
            "" + ringCount,
            "--ring-bytes",
            "64m",
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
