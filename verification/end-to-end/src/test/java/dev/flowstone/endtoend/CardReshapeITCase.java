// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.processes.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.flink.core.execution.JobClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A tap of a card gets other rings while a job reads them that has no exchange behind them: the job
 * fails over rings that are another subtask's now, and goes on with each where it belongs.
 */
@Timeout(180)
class CardReshapeITCase {
  private static final long PACKETS = 300_000;
  private static final long SOME_PACKETS = 30_000;
  private static final String FEED = "synthetic:preset=backbone,seed=7,rate=40k,packets=" + PACKETS;
  private static final long LIMIT_NS = 90_000_000_000L;

  @TempDir private static Path folder;

  @Test
  void shouldGiveEveryPacketOnce() throws Exception {
    Path keyGroups = Files.writeString(folder.resolve("key-groups"), "ring-count = 2\n");
    try (BrokerProcess broker = BrokerProcess.start(BrokerOptions.in(folder.resolve("kafka")));
        ScratchFolder rings = ScratchFolder.inMemory("reshape");
        ChildProcess tap =
            EmulatedCardsTap.start(
                folder,
                rings.path(),
                1,
                FEED,
                "--wait-for-reader",
                "--key-groups",
                keyGroups.toString())) {
      KafkaTopic topic = new KafkaTopic(broker.bootstrapServers(), PacketsJob.TOPIC);
      topic.create(PacketsJob.PARALLELISM);
      AwaitedRings.in(rings.path(), PacketsJob.PARALLELISM);
      JobClient job = PacketsJob.of(broker, false, List.of(rings.path())).executeAsync("reshape");
      await(() -> ReadSample.of(topic).packets() > SOME_PACKETS);
      Files.writeString(keyGroups, "ring-count = 4\n");
      AwaitedRings.in(rings.path(), 2 * PacketsJob.PARALLELISM);
      long then = ReadSample.of(topic).packets();
      await(() -> ReadSample.of(topic).packets() > then + SOME_PACKETS);
      Files.writeString(keyGroups, "ring-count = 2\n");
      JsonNode card = EmulatedCardsTap.awaitReport(tap, folder).get(0);
      assertThat(card.get("starts").asInt()).isEqualTo(3);
      assertThat(card.get("ports").get(0).get("received").asLong()).isPositive();
      await(() -> ReadSample.of(topic).packets() >= PACKETS);
      job.cancel().get();
      ReadSample packets = ReadSample.of(topic);
      assertThat(packets.packets()).isEqualTo(PACKETS);
      assertThat(packets.lost()).isZero();
    }
  }

  private static void await(Callable<Boolean> condition) throws Exception {
    long beganNs = System.nanoTime();
    while (!condition.call()) {
      assertThat(System.nanoTime() - beganNs).as("time waited").isLessThan(LIMIT_NS);
      Thread.sleep(500);
    }
  }
}
