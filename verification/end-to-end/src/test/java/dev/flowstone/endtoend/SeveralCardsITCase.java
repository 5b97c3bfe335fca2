// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flowstone.broker.process.SharedBroker;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.testbed.flink.PacketsJob;
import dev.flowstone.testbed.kafka.ReadSample;
import dev.flowstone.testbed.rings.AwaitedRings;
import dev.flowstone.testbed.rings.EmulatedCardsTap;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * One tap, four emulated cards, as many as a server has of them, one job: from the cards' ports to
 * a read_committed consumer.
 */
@Timeout(180)
class SeveralCardsITCase {
  private static final int CARDS = 4;
  private static final int RINGS = EmulatedCardsTap.RINGS;
  private static final long PACKETS = 50_000;
  private static final String FEED = "synthetic:rate=50k,packets=" + PACKETS;

  @TempDir private static Path folder;

  @Test
  void shouldReadEveryPacketOfEveryCard() throws Exception {
    KafkaTopic topic = new KafkaTopic(SharedBroker.bootstrapServers(), "several-cards");
    topic.create(RINGS);
    try (ScratchFolder rings = ScratchFolder.inMemory("cards");
        ChildProcess tap =
            EmulatedCardsTap.start(folder, rings.path(), CARDS, FEED, "--wait-for-reader")) {
      List<Path> folders =
          IntStream.range(0, CARDS).mapToObj(card -> rings.path().resolve("card-" + card)).toList();
      for (Path each : folders) {
        AwaitedRings.in(each, RINGS);
      }
      PacketsJob.bounded(topic, folders).execute("cards");
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
}
