// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.harness.ClusterSize;
import dev.flowstone.harness.CommittedMessages;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.LocalCluster;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.jobs.anomaly.AnomalyJob;
import dev.flowstone.jobs.anomaly.AnomalyOptions;
import dev.flowstone.jobs.endpoints.KafkaOptions;
import dev.flowstone.jobs.endpoints.RingOptions;
import dev.flowstone.jobs.platform.PlatformJob;
import dev.flowstone.jobs.platform.PlatformOptions;
import dev.flowstone.kafkastreams.process.SynFloodProcess;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.tap.RecordedRings;
import dev.flowstone.tap.replay.ReplayOptions;
import dev.flowstone.tap.replay.ReplaySource;
import dev.flowstone.testbed.captures.Capture;
import dev.flowstone.traffic.synthetic.SynFlood;
import dev.flowstone.traffic.synthetic.SyntheticOptions;
import dev.flowstone.traffic.synthetic.SyntheticSource;
import dev.flowstone.traffic.synthetic.SyntheticTruth;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The field's program for Kafka Streams and the job find the same in the same packets, which is
 * what the generator says it sent and what the captures' oracles know: so what the benchmark holds
 * beside one another is one task.
 */
@Timeout(240)
class KafkaStreamsITCase {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final Duration CHECKPOINTS = Duration.ofMillis(500);
  private static final int NETWORK_MEBIBYTES = 16;
  private static final int MANAGED_MEBIBYTES = 16;
  private static final long NS_PER_MS = 1_000_000;
  private static final long NS_PER_S = 1_000_000_000;

  /** The flood lies in three windows. */
  private static final SyntheticOptions TRAFFIC =
      SyntheticOptions.defaults()
          .withFlows(1_000)
          .withPacketsPerSecond(1_000)
          .withDuration(Duration.ofSeconds(20))
          .withFlood(new SynFlood(Duration.ofSeconds(4), Duration.ofSeconds(8), 2_000, 500));

  private static final long MOST_PACKETS = 50_000;

  @TempDir private static Path folder;
  private static BrokerProcess broker;
  private final ObjectMapper mapper = new ObjectMapper();

  @BeforeAll
  static void startBroker() throws Exception {
    broker = BrokerProcess.start(BrokerOptions.in(folder.resolve("kafka")));
  }

  @AfterAll
  static void endBroker() {
    if (broker != null) {
      broker.close();
    }
  }

  @Test
  void shouldFindWhatTheJobFindsInGeneratedTraffic() throws Exception {
    try (SyntheticSource source = new SyntheticSource(TRAFFIC)) {
      Found found = find("generated", RecordedRings.RINGS, source, MOST_PACKETS);
      assertThat(found.byStreams()).isEqualTo(found.byJob()).isEqualTo(windowsOf(source.truth()));
      assertThat(found.byStreams()).hasSizeGreaterThan(2);
    }
  }

  /** All captures with more than ten SYNs to one destination in a window. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "amp.TCP.syn.optionallyACK.optionallysamePort.pcapng",
        "dns_ipv4_tcp.pcap",
        "dns_udp_tcp_random.pcap",
        "echo-connections.pcap",
        "malicious-ssh-bruteforce.pcap",
        "pkt.TCP.DOMINATE.syn.ecn.cwr.pcapng",
        "suricata-syn-flood-200.pcap",
        "synscan.pcap"
      })
  @Tag("slow")
  void shouldFindWhatTheJobFindsInCaptures(String name) throws Exception {
    requireSame(name, RecordedRings.RINGS);
  }

  /**
   * Its packets are years apart: of two partitions the program reads one years behind the other,
   * and leaves out what is late by a day. The job does not, see its own test of captures.
   */
  @Test
  @Tag("slow")
  void shouldFindWhatTheJobFindsInACaptureOfYears() throws Exception {
    requireSame("emix.pcap", 1);
  }

  private void requireSame(String name, int rings) throws Exception {
    Capture capture = Capture.named(List.of(name)).getFirst();
    try (ReplaySource source = new ReplaySource(ReplayOptions.once(capture.file()))) {
      Found found = find(name.replace('.', '-'), rings, source, capture.packets());
      assertThat(found.byStreams()).isEqualTo(found.byJob()).isEqualTo(windowsOf(capture.oracle()));
    }
  }

  /** Windows and their counts. */
  private record Found(Map<String, Long> byStreams, Map<String, Long> byJob) {}

  private Found find(String name, int ringCount, PacketSource source, long mostPackets)
      throws Exception {
    try (ScratchFolder rings = ScratchFolder.inMemory("end-to-end")) {
      RecordedRings.fill(rings.path(), ringCount, source, mostPackets);
      long packets = source.counters().packets();
      KafkaTopic single = topic(name + "-packets", ringCount);
      KafkaTopic attacks = topic(name + "-attacks", 1);
      KafkaTopic fromStreams = topic(name + "-from-streams", 1);
      run(
          at -> AnomalyJob.build(at, anomaly(rings, attacks)),
          at -> PlatformJob.build(at, onePacketPerMessage(rings, single)));
      try (SynFloodProcess program =
          SynFloodProcess.start(
              folder.resolve(name),
              broker.bootstrapServers(),
              single.name(),
              fromStreams.name(),
              packets)) {
        program.awaitAll(packets);
      }
      return new Found(windowsOfStreams(fromStreams), windowsOfJob(attacks));
    }
  }

  /** Nobody waits for a program that cannot work. */
  @Test
  void shouldSayWhyItCannotWork() throws IOException {
    try (SynFloodProcess program =
        SynFloodProcess.start(
            folder.resolve("failing"), broker.bootstrapServers(), "not-there", "nor-this", 1)) {
      assertThatThrownBy(() -> program.awaitAll(1))
          .hasMessageContaining("the kafka-streams failed")
          .hasMessageContaining("MissingSourceTopicException");
    }
  }

  private static KafkaTopic topic(String name, int partitions) throws InterruptedException {
    KafkaTopic topic = new KafkaTopic(broker.bootstrapServers(), name);
    topic.create(partitions);
    return topic;
  }

  private static void run(
      Consumer<StreamExecutionEnvironment> first, Consumer<StreamExecutionEnvironment> second)
      throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, CHECKPOINTS);
    try (LocalCluster cluster =
        LocalCluster.start(
            new ClusterSize(RecordedRings.RINGS, NETWORK_MEBIBYTES, MANAGED_MEBIBYTES),
            configuration)) {
      cluster.submit(RecordedRings.RINGS, first).result().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
      cluster.submit(RecordedRings.RINGS, second).result().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }
  }

  private static AnomalyOptions anomaly(ScratchFolder rings, KafkaTopic topic) {
    AnomalyOptions options = new AnomalyOptions();
    options.topic = topic.name();
    between(rings, options.rings, topic, options.kafka);
    return options;
  }

  private static PlatformOptions onePacketPerMessage(ScratchFolder rings, KafkaTopic topic) {
    PlatformOptions options = new PlatformOptions();
    options.topic = topic.name();
    options.batches.packets = 1;
    between(rings, options.rings, topic, options.kafka);
    return options;
  }

  private static void between(
      ScratchFolder rings, RingOptions from, KafkaTopic topic, KafkaOptions to) {
    from.folders = List.of(rings.path());
    from.bounded = true;
    to.bootstrapServers = topic.bootstrapServers();
  }

  /** The last count of each window is the window's. */
  private static Map<String, Long> windowsOfStreams(KafkaTopic topic) throws Exception {
    Map<String, Long> windows = new TreeMap<>();
    CommittedMessages.readAll(
        topic,
        LIMIT,
        message -> windows.put(text(message.key()), Long.valueOf(text(message.value()))));
    return windows;
  }

  private static String text(byte[] bytes) {
    return new String(bytes, UTF_8);
  }

  /** Twice the same window would be one too many. */
  private Map<String, Long> windowsOfJob(KafkaTopic topic) throws Exception {
    Map<String, Long> windows = new TreeMap<>();
    CommittedMessages.readAll(
        topic,
        LIMIT,
        message -> {
          JsonNode result = json(message);
          if (result.get("kind").asText().equals("syn_window")) {
            String window =
                key(result.get("window_begin_ns").asLong(), result.get("destination").asText());
            assertThat(windows.put(window, result.get("count").asLong())).as(window).isNull();
          }
        });
    return windows;
  }

  private JsonNode json(ConsumerRecord<byte[], byte[]> message) {
    try {
      return mapper.readTree(message.value());
    } catch (IOException e) {
      throw new UncheckedIOException("not JSON", e);
    }
  }

  private static Map<String, Long> windowsOf(SyntheticTruth truth) {
    return truth.synsOver10ByDestination().stream()
        .collect(
            Collectors.toMap(
                window -> key(window.windowStartNs(), window.destination()),
                window -> (long) window.syns()));
  }

  private static Map<String, Long> windowsOf(JsonNode oracle) {
    Map<String, Long> windows = new TreeMap<>();
    for (JsonNode window : oracle.get("answers").get("syn_windows").get("over_10_by_dst")) {
      windows.put(
          key(window.get("window_start_s").asLong() * NS_PER_S, window.get("dst").asText()),
          window.get("syn").asLong());
    }
    return windows;
  }

  private static String key(long beginNs, String destination) {
    return beginNs / NS_PER_MS + " " + destination;
  }
}
