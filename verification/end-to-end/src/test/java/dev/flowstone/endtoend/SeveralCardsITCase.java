// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.jobs.platform.PlatformJob;
import dev.flowstone.jobs.platform.PlatformOptions;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
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
  private static final int RINGS = 2;
  private static final long PACKETS = 150_000;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @TempDir private static Path folder;

  @Test
  void shouldReadEveryPacketOfEveryCard() throws Exception {
    try (BrokerProcess broker = BrokerProcess.start(BrokerOptions.in(folder.resolve("kafka")));
        ScratchFolder rings = ScratchFolder.inMemory("cards");
        ChildProcess tap = startTap(rings.path())) {
      KafkaTopic topic = new KafkaTopic(broker.bootstrapServers(), "packets");
      topic.create(RINGS);
      List<Path> folders = List.of(rings.path().resolve("card-0"), rings.path().resolve("card-1"));
      awaitRings(folders);
      readAll(broker, folders);
      Programs.requireSuccess(tap, LIMIT);
      ReadSample packets = ReadSample.of(topic);
      assertThat(packets.lost()).isZero();
      assertThat(packets.packets()).isEqualTo(CARDS * PACKETS);
      assertThat(packets.streams())
          .as("a stream for each ring of each card")
          .hasSize(CARDS * RINGS);
    }
    JsonNode report = new ObjectMapper().readTree(folder.resolve("tap.json").toFile());
    assertThat(report.get("cards")).hasSize(CARDS);
    for (JsonNode card : report.get("cards")) {
      assertThat(card.get("ports").get(0).get("received").asLong()).isEqualTo(PACKETS);
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

  private static ChildProcess startTap(Path rings) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("card"));
    for (int card = 0; card < CARDS; card++) {
      arguments.addAll(List.of("--device", "emulated"));
    }
    arguments.addAll(List.of("--feed", "synthetic:rate=50k,packets=" + PACKETS));
    arguments.addAll(List.of("--ring-count", "" + RINGS, "--ring-bytes", "16m"));
    arguments.addAll(List.of("--rings", rings.toString(), "--wait-for-reader"));
    arguments.addAll(List.of("--report", folder.resolve("tap.json").toString()));
    return ChildProcess.start(
        Programs.of(folder, "tap", "dev.flowstone.tap.command.TapCommand", arguments)
            .withJvmOptions(
                "-Xmx256m", "-XX:+UseSerialGC", "-Dflowstone.home=" + ProjectRoot.find()),
        ChildOutput.gatheredIn(folder));
  }
}
