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
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.offheap.ParserProfile;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.RingSpecification;
import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.tap.Pacer;
import dev.flowstone.tap.TapLoop;
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
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The field's program for Kafka Streams and the job find the same in the same packets, which is
 * what the generator says it sent: so what the benchmark holds beside one another is one task.
 */
@Timeout(240)
class KafkaStreamsITCase {
  private static final int RINGS = 2;
  private static final long RING_BYTES = 16 << 20;
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final Duration CHECKPOINTS = Duration.ofMillis(500);
  private static final int NETWORK_MEBIBYTES = 16;
  private static final int MANAGED_MEBIBYTES = 16;
  private static final long NS_PER_MS = 1_000_000;

  /** The flood lies in three windows. */
  private static final SyntheticOptions TRAFFIC =
      SyntheticOptions.defaults()
          .withFlows(1_000)
          .withPacketsPerSecond(1_000)
          .withDuration(Duration.ofSeconds(20))
          .withFlood(new SynFlood(Duration.ofSeconds(4), Duration.ofSeconds(8), 2_000, 500));

  @TempDir private Path folder;
  private final ObjectMapper mapper = new ObjectMapper();

  @Test
  void shouldFindWhatTheJobFinds() throws Exception {
    Map<String, Long> ofStreams;
    Map<String, Long> ofJob;
    SyntheticTruth truth;
    try (ScratchFolder rings = ScratchFolder.inMemory("end-to-end");
        BrokerProcess broker = BrokerProcess.start(BrokerOptions.in(folder.resolve("kafka")))) {
      truth = fill(rings.path());
      KafkaTopic packets = topic(broker, "packets", RINGS);
      KafkaTopic attacks = topic(broker, "attacks", 1);
      KafkaTopic fromStreams = topic(broker, "from-streams", 1);
      run(
          at -> AnomalyJob.build(at, anomaly(rings, attacks)),
          at -> PlatformJob.build(at, onePacketPerMessage(rings, packets)));
      try (SynFloodProcess program =
          SynFloodProcess.start(
              folder,
              broker.bootstrapServers(),
              packets.name(),
              fromStreams.name(),
              truth.packets())) {
        program.awaitAll(truth.packets());
      }
      requireReasonWithout(broker);
      ofStreams = windowsOfStreams(fromStreams);
      ofJob = windowsOfJob(attacks);
    }
    assertThat(ofStreams).isEqualTo(ofJob).isEqualTo(windowsOf(truth));
    assertThat(ofStreams).hasSizeGreaterThan(2);
  }

  /** Nobody waits for a program that cannot work. */
  private void requireReasonWithout(BrokerProcess broker) throws IOException {
    try (SynFloodProcess program =
        SynFloodProcess.start(
            folder.resolve("failing"), broker.bootstrapServers(), "not-there", "nor-this", 1)) {
      assertThatThrownBy(() -> program.awaitAll(1))
          .hasMessageContaining("the kafka-streams failed")
          .hasMessageContaining("MissingSourceTopicException");
    }
  }

  private static SyntheticTruth fill(Path rings) {
    RingSpecification specification =
        new RingSpecification(
            RINGS,
            RingSpecification.slotsLog2ForBytes(RING_BYTES),
            RingClock.SYNTHETIC,
            LocalCluster.MAX_PARALLELISM,
            "test",
            Optional.empty());
    try (SyntheticSource source = new SyntheticSource(TRAFFIC);
        RingSetWriter writer =
            RingSetWriter.create(new RingDirectory(rings), specification, WhenFull.DROP)) {
      new TapLoop(source, writer, ParserProfile.SOFTWARE, Pacer.unpaced()).run();
      return source.truth();
    }
  }

  private static KafkaTopic topic(BrokerProcess broker, String name, int partitions)
      throws InterruptedException {
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
            new ClusterSize(RINGS, NETWORK_MEBIBYTES, MANAGED_MEBIBYTES), configuration)) {
      cluster.submit(RINGS, first).result().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
      cluster.submit(RINGS, second).result().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
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

  private static String key(long beginNs, String destination) {
    return beginNs / NS_PER_MS + " " + destination;
  }
}
