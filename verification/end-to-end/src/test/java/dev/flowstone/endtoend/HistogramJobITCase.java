// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.harness.ClusterSize;
import dev.flowstone.harness.CommittedMessages;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.LocalCluster;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.jobs.histogram.HistogramJob;
import dev.flowstone.jobs.histogram.HistogramOptions;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.rules.function.Histogram.Per;
import dev.flowstone.testbed.captures.HandMadeCapture;
import dev.flowstone.testbed.programs.Programs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Six packets whose gaps can be counted by eye, from a capture to JSON in Kafka. */
class HistogramJobITCase {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final int RINGS = 2;
  private static final int NETWORK_MEBIBYTES = 16;
  private static final int MANAGED_MEBIBYTES = 16;

  @TempDir private Path folder;

  @Test
  void shouldTellTheGapOfTheHandshake() throws Exception {
    List<JsonNode> results = new ArrayList<>();
    try (ScratchFolder rings = ScratchFolder.inMemory("end-to-end");
        BrokerProcess broker = BrokerProcess.start(BrokerOptions.in(folder.resolve("kafka")))) {
      fill(rings.path());
      KafkaTopic topic = new KafkaTopic(broker.bootstrapServers(), "histograms");
      topic.create(1);
      run(rings.path(), broker.bootstrapServers());
      CommittedMessages.readAll(topic, LIMIT, message -> results.add(json(message.value())));
    }
    assertThat(results)
        .filteredOn(result -> result.get("kind").asText().equals("stage"))
        .extracting(result -> result.get("stage").asText())
        .contains("Source: rings", "Rules", "Histograms");
    List<JsonNode> histograms =
        results.stream().filter(result -> result.get("kind").asText().equals("histogram")).toList();
    assertThat(histograms).hasSize(1);
    JsonNode histogram = histograms.getFirst();
    assertThat(histogram.get("rule").asText()).isEqualTo("default");
    assertThat(histogram.get("begin_ns").asLong()).isEqualTo(1_699_999_980_000_000_000L);
    assertThat(histogram.get("time_ns").asLong()).isEqualTo(1_700_000_040_000_000_000L);
    assertThat(histogram.get("count").asLong()).isEqualTo(1);
    assertThat(histogram.get("min").asLong()).isEqualTo(2_000_000_000L);
    assertThat(histogram.get("p50").asLong()).isEqualTo(2_000_000_000L);
    assertThat(histogram.get("packets").asLong()).isEqualTo(6);
    assertThat(histogram.get("first").asLong()).isEqualTo(5);
  }

  private void fill(Path rings) throws Exception {
    Path capture = folder.resolve("six.pcap");
    HandMadeCapture.write(capture);
    List<String> arguments =
        List.of(
            "replay",
            capture.toString(),
            "--rings",
            rings.toString(),
            "--ring-count",
            "" + RINGS,
            "--ring-bytes",
            "1m");
    try (ChildProcess process =
        ChildProcess.start(
            Programs.of(folder, "tap", "dev.flowstone.tap.command.TapCommand", arguments)
                .withJvmOptions("-Xmx96m", "-XX:+UseSerialGC"),
            ChildOutput.gatheredIn(folder))) {
      Programs.requireSuccess(process, LIMIT);
    }
  }

  private void run(Path rings, String bootstrapServers) throws Exception {
    HistogramOptions options = new HistogramOptions();
    options.rings.folders = List.of(rings);
    options.rings.bounded = true;
    options.kafka.bootstrapServers = bootstrapServers;
    options.per = Per.RULE;
    options.interval = Duration.ofMinutes(1);
    Configuration configuration = new Configuration();
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(200));
    try (LocalCluster cluster =
        LocalCluster.start(
            new ClusterSize(RINGS, NETWORK_MEBIBYTES, MANAGED_MEBIBYTES), configuration)) {
      cluster
          .submit(RINGS, environment -> HistogramJob.build(environment, options))
          .result()
          .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }
  }

  private static JsonNode json(byte[] message) {
    try {
      return new ObjectMapper().readTree(message);
    } catch (IOException e) {
      throw new UncheckedIOException("not JSON", e);
    }
  }
}
