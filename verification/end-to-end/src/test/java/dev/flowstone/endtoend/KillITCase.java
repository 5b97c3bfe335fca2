// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The Flink process dies by SIGKILL again and again under a million packets a second, at moments
 * nobody chose, checkpoints and commits among them; each time it begins again with its last whole
 * checkpoint. A read_committed consumer then finds every packet once, in order within its flow.
 */
class KillITCase {
  private static final String TOPIC = "packets";
  private static final int RATE = 1_000_000;
  private static final Duration END_LIMIT = Duration.ofMinutes(3);

  /**
   * Room for the packets of a restart. Where restarts take longer, the tap waits instead of
   * dropping: how much is dropped then is a question of size, not of this promise.
   */
  private static final String RING_BYTES = "1g";

  @TempDir private Path folder;

  @Test
  @Timeout(600)
  void shouldDeliverEveryPacketOnceWhenKilledThreeTimes() throws Exception {
    survive(3);
  }

  @Test
  @Tag("slow")
  @Timeout(2400)
  void shouldDeliverEveryPacketOnceWhenKilledTwentyTimes() throws Exception {
    survive(20);
  }

  private void survive(int kills) throws Exception {
    long seed = Long.getLong("flowstone.seed", System.nanoTime());
    System.out.println("KillITCase: seed " + seed + "; again with -Dflowstone.seed=" + seed);
    try (RingFolder rings = RingFolder.create();
        BrokerProcess broker = BrokerProcess.start(BrokerOptions.in(folder.resolve("kafka")))) {
      Topics.create(broker.bootstrapServers(), TOPIC, 2);
      KilledJob job = new KilledJob(folder, rings.path(), broker.bootstrapServers(), TOPIC);
      try (JavaProcess tap = startTap(rings.path())) {
        killRepeatedly(job, tap, new Random(seed), kills);
        tap.endInput();
        tap.requireSuccess(END_LIMIT);
        job.finish(END_LIMIT);
      } finally {
        job.close();
      }
      BatchLedger ledger = new BatchLedger();
      CommittedBatches.readAll(broker.bootstrapServers(), TOPIC, ledger::book);
      check(ledger);
    }
  }

  private JavaProcess startTap(Path rings) throws Exception {
    return JavaProcess.start(
        folder,
        "tap",
        List.of("-Xmx512m", "-XX:+UseSerialGC"),
        "dev.flowstone.tap.command.TapCommand",
        List.of(
            "synthetic",
            "--rate",
            "" + RATE,
            "--rings",
            rings.toString(),
            "--ring-count",
            "2",
            "--ring-bytes",
            RING_BYTES,
            "--stop-on-stdin-end",
            "--wait-for-reader",
            "--when-full",
            "wait",
            "--truth",
            folder.resolve("truth.json").toString(),
            "--report",
            folder.resolve("tap.json").toString()));
  }

  private static void killRepeatedly(KilledJob job, JavaProcess tap, Random random, int kills)
      throws Exception {
    job.start();
    // Packets flow from the first reader on.
    job.awaitCheckpoint();
    for (int kill = 0; kill < kills; kill++) {
      KillMoment.of(kill).await(job, random);
      assertThat(tap.isAlive()).as("tap sends during kill %d: %s", kill, tap.errors()).isTrue();
      job.kill();
      job.start();
    }
    job.awaitCheckpoint();
  }

  private void check(BatchLedger ledger) throws Exception {
    JsonNode report = new ObjectMapper().readTree(folder.resolve("tap.json").toFile());
    JsonNode truth = new ObjectMapper().readTree(folder.resolve("truth.json").toFile());
    System.out.printf(
        "KillITCase: offered %,d, read back %,d in %,d messages, lost %,d, %,d flows%n",
        report.get("offered").asLong(),
        ledger.packets(),
        ledger.batches(),
        ledger.lost(),
        ledger.flows().distinctTuples());
    assertThat(ledger.faults()).isEmpty();
    assertThat(ledger.lost()).as("lost: the rings were too small for the restarts").isZero();
    assertThat(ledger.packets())
        .isEqualTo(report.get("offered").asLong())
        .isEqualTo(truth.get("packets").asLong());
    assertThat(ledger.flows().distinctTuples())
        .isEqualTo(truth.get("distinct_5tuples_directional").asInt());
    assertThat(ledger.flows().synWithoutAck()).isEqualTo(truth.get("syn_without_ack").asLong());
    assertThat(ledger.flows().synWithAck()).isEqualTo(truth.get("syn_with_ack").asLong());
  }
}
