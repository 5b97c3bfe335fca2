// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.jobs.platform.PlatformJob;
import dev.flowstone.jobs.platform.PlatformOptions;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.processes.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One tap, two emulated cards, one job: from the cards' ports to a read_committed consumer. */
@Timeout(180)
class SeveralCardsITCase {
  private static final int CARDS = 2;
  private static final int RINGS = EmulatedCardsTap.RINGS;
  private static final long PACKETS = 150_000;
  private static final String FEED = "synthetic:rate=50k,packets=" + PACKETS;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @TempDir private static Path folder;

  @Test
  void shouldReadEveryPacketOfEveryCard() throws Exception {
    try (BrokerProcess broker = BrokerProcess.start(BrokerOptions.in(folder.resolve("kafka")));
        ScratchFolder rings = ScratchFolder.inMemory("cards");
        ChildProcess tap =
            EmulatedCardsTap.start(folder, rings.path(), CARDS, FEED, "--wait-for-reader")) {
      KafkaTopic topic = new KafkaTopic(broker.bootstrapServers(), "packets");
      topic.create(RINGS);
      List<Path> folders = List.of(rings.path().resolve("card-0"), rings.path().resolve("card-1"));
      awaitRings(folders);
      readAll(broker, folders);
      JsonNode report = EmulatedCardsTap.awaitReport(tap, folder);
      assertThat(report).hasSize(CARDS);
      for (JsonNode card : report) {
        assertThat(card.get("ports").get(0).get("received").asLong()).isEqualTo(PACKETS);
      }
      ReadSample packets = ReadSample.of(topic);
      assertThat(packets.lost()).isZero();
      assertThat(packets.packets()).isEqualTo(CARDS * PACKETS);
      assertThat(packets.streams())
          .as("a stream for each ring of each card")
          .hasSize(CARDS * RINGS);
    }
  }

  private static void awaitRings(List<Path> folders) throws InterruptedException {
    long beganNs = System.nanoTime();
    for (Path each : folders) {
      while (!Files.exists(new RingDirectory(each).ringFile(RINGS - 1))) {
        assertThat(System.nanoTime() - beganNs).isLessThan(LIMIT.toNanos());
        Thread.sleep(20);
      }
    }
  }

  private static void readAll(BrokerProcess broker, List<Path> folders) throws Exception {
    PlatformOptions options = new PlatformOptions();
    options.rings.folders = folders;
    options.rings.bounded = true;
    options.topic = "packets";
    options.kafka.bootstrapServers = broker.bootstrapServers();
    Configuration configuration = new Configuration();
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(500));
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.createLocalEnvironment(RINGS, configuration);
    environment.setMaxParallelism(128);
    PlatformJob.build(environment, options);
    environment.execute("cards");
  }
}
