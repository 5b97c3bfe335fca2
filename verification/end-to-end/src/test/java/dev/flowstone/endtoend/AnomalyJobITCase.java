// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.connector.fpga.FlowExchange;
import dev.flowstone.connector.fpga.RingBlocks;
import dev.flowstone.harness.ClusterSize;
import dev.flowstone.harness.CommittedMessages;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.LocalCluster;
import dev.flowstone.harness.LocalJob;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.harness.failure.FailureInjection;
import dev.flowstone.harness.failure.FailureInjection.Place;
import dev.flowstone.jobs.anomaly.AnomalyJob;
import dev.flowstone.jobs.anomaly.AnomalyOptions;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.tap.HeldBackSource;
import dev.flowstone.tap.Pacer;
import dev.flowstone.tap.RecordedRings;
import dev.flowstone.tap.replay.ReplayOptions;
import dev.flowstone.tap.replay.ReplaySource;
import dev.flowstone.testbed.captures.Capture;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Replays captures with SYN floods to a job that fails while it reads. Kafka contains each known
 * window once, and each alert from its beginning to its end.
 */
@Timeout(180)
class AnomalyJobITCase {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final Duration OFTEN = Duration.ofMillis(200);
  private static final long NS_PER_SECOND = 1_000_000_000;
  private static final int NETWORK_MEBIBYTES = 32;
  private static final int MANAGED_MEBIBYTES = 64;

  /** Over both IP versions, from one window to many. */
  private static final List<String> CAPTURES =
      List.of("dns_ipv4_tcp.pcap", "suricata-syn-flood-200.pcap", "synscan.pcap");

  @TempDir private Path folder;
  private final ObjectMapper mapper = new ObjectMapper();

  @Test
  void shouldTellEachWindowAndAlertOnceWhenTheJobFailsInBetween() throws Exception {
    List<Capture> captures = Capture.named(CAPTURES);
    try (BrokerProcess broker = BrokerProcess.start(BrokerOptions.in(folder.resolve("kafka")));
        LocalCluster cluster =
            LocalCluster.start(
                new ClusterSize(RecordedRings.RINGS, NETWORK_MEBIBYTES, MANAGED_MEBIBYTES),
                configuration())) {
      for (Capture capture : captures) {
        List<JsonNode> results = carry(capture, cluster, broker.bootstrapServers());
        assertThat(windows(results)).as("%s", capture.file()).isEqualTo(known(capture));
        requireWholeAlerts(results);
        assertThat(results)
            .filteredOn(result -> result.get("kind").asText().equals("stage"))
            .extracting(result -> result.get("stage").asText())
            .contains("Source: rings", "Rules", "Detectors");
      }
    }
  }

  private Configuration configuration() {
    Configuration configuration = new Configuration();
    configuration.set(StateBackendOptions.STATE_BACKEND, "rocksdb");
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, OFTEN);
    configuration.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY,
        folder.resolve("checkpoints").toUri().toString());
    FailureInjection.allowRestarts(configuration, Duration.ZERO);
    return configuration;
  }

  /** What Kafka has of a capture, in the order in which its partition has it. */
  private List<JsonNode> carry(Capture capture, LocalCluster cluster, String bootstrapServers)
      throws Exception {
    String name = capture.file().getFileName().toString().replace('.', '-');
    KafkaTopic topic = new KafkaTopic(bootstrapServers, name);
    topic.create(1);
    try (ScratchFolder rings = ScratchFolder.inMemory("anomaly");
        PacketSource packets = new ReplaySource(ReplayOptions.once(capture.file()));
        ExecutorService taps = Executors.newSingleThreadExecutor();
        FailureInjection failures = new FailureInjection()) {
      CountDownLatch ringsExist = new CountDownLatch(1);
      // The second half of the capture arrives after the checkpoint that precedes the failure.
      PacketSource halves =
          new HeldBackSource(packets, capture.packets() / 2, () -> failures.isDue(1));
      Future<?> tap =
          taps.submit(
              () ->
                  RecordedRings.fill(
                      rings.path(),
                      halves,
                      capture.packets(),
                      Pacer.unpaced(),
                      ringsExist::countDown));
      assertThat(ringsExist.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
      LocalJob job =
          cluster.submit(RecordedRings.RINGS, at -> build(at, options(rings, topic), failures));
      failures.failOnce(Place.PROCESSING);
      tap.get();
      assertThat(job.awaitEnd(LIMIT)).isTrue();
    }
    List<JsonNode> results = new ArrayList<>();
    CommittedMessages.readAll(topic, LIMIT, message -> results.add(json(message.value())));
    return results;
  }

  private static AnomalyOptions options(ScratchFolder rings, KafkaTopic topic) {
    AnomalyOptions options = new AnomalyOptions();
    options.name = topic.name();
    options.topic = topic.name();
    options.rings.folders = List.of(rings.path());
    options.rings.bounded = true;
    options.kafka.bootstrapServers = topic.bootstrapServers();
    return options;
  }

  private static void build(
      StreamExecutionEnvironment environment, AnomalyOptions options, FailureInjection failures) {
    RingBlocks read = FlowExchange.AUTO.read(environment, AnomalyJob.source(options), "rings");
    AnomalyJob.build(new RingBlocks(failures.in(read.packets()), read.areByFlow()), options);
  }

  private JsonNode json(byte[] message) {
    try {
      return mapper.readTree(message);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** As the oracle has them; twice the same would be one too many. */
  private static List<String> windows(List<JsonNode> results) {
    return results.stream()
        .filter(result -> result.get("kind").asText().equals("syn_window"))
        .map(
            result ->
                line(
                    result.get("window_begin_ns").asLong() / NS_PER_SECOND,
                    result.get("destination").asText(),
                    result.get("count").asLong()))
        .sorted()
        .toList();
  }

  private static List<String> known(Capture capture) {
    List<String> lines = new ArrayList<>();
    for (JsonNode window :
        capture.oracle().get("answers").get("syn_windows").get("over_10_by_dst")) {
      lines.add(
          line(
              window.get("window_start_s").asLong(),
              window.get("dst").asText(),
              window.get("syn").asLong()));
    }
    return lines.stream().sorted().toList();
  }

  private static String line(long beginSeconds, String destination, long count) {
    return beginSeconds + " " + destination + " " + count;
  }

  /** Each is opened, updated by all its other windows, and closed. */
  private static void requireWholeAlerts(List<JsonNode> results) {
    List<JsonNode> alerts =
        results.stream().filter(result -> result.get("kind").asText().equals("alert")).toList();
    assertThat(alerts).isNotEmpty();
    for (String id : new TreeSet<>(alerts.stream().map(each -> each.get("id").asText()).toList())) {
      List<JsonNode> ofOne =
          alerts.stream().filter(each -> each.get("id").asText().equals(id)).toList();
      assertThat(ofOne.getFirst().get("state").asText()).isEqualTo("opened");
      assertThat(ofOne.getLast().get("state").asText()).isEqualTo("closed");
      assertThat(ofOne.getLast().get("windows").asInt()).isEqualTo(ofOne.size() - 1);
      assertThat(ofOne.subList(1, ofOne.size() - 1))
          .allSatisfy(each -> assertThat(each.get("state").asText()).isEqualTo("updated"));
    }
  }
}
