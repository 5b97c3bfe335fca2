// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.harness.CommittedMessages;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.testbed.faults.KillMoment;
import dev.flowstone.testbed.faults.KilledJob;
import dev.flowstone.testbed.faults.RestartRecord;
import dev.flowstone.testbed.kafka.BatchLedger;
import dev.flowstone.testbed.programs.FreeMemory;
import dev.flowstone.testbed.programs.Programs;
import dev.flowstone.testbed.rings.RingWatch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
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
@Tag("undisturbed")
@Tag("slow")
class KillITCase {
  private static final String TOPIC = "packets";
  private static final int RING_COUNT = 2;
  private static final int RATE = 1_000_000;
  private static final double LEAST_RATE = 0.95 * RATE;
  private static final Duration END_LIMIT = Duration.ofMinutes(3);

  /**
   * Room for what comes from the last checkpoint before a kill to the first one after it, twice:
   * where the machine has the memory, all rings together hold 134 s.
   */
  private static final long MOST_RING_BYTES = 4L << 30;

  /** For the memory of all rings, on a machine that has none ready. */
  private static final Duration TRAFFIC_LIMIT = Duration.ofMinutes(2);

  private static final Duration READ_LIMIT = Duration.ofMinutes(2);
  private static final Duration CATCH_UP_LIMIT = Duration.ofMinutes(2);

  @TempDir private Path folder;

  @Test
  @Timeout(600)
  void shouldDeliverEveryPacketOnceWhenKilledThreeTimes() throws Exception {
    sayRate(survive(3));
  }

  @Test
  @Timeout(2400)
  void shouldDeliverEveryPacketOnceWhenKilledTwentyTimes() throws Exception {
    checkRate(survive(20));
  }

  private RestartRecord survive(int kills) throws Exception {
    long seed = Long.getLong("flowstone.seed", System.nanoTime());
    System.out.println("KillITCase: seed " + seed + "; again with -Dflowstone.seed=" + seed);
    try (ScratchFolder rings = ScratchFolder.inMemory("end-to-end");
        BrokerProcess broker = BrokerProcess.start(BrokerOptions.in(folder.resolve("kafka")))) {
      KafkaTopic topic = new KafkaTopic(broker.bootstrapServers(), TOPIC);
      topic.create(RING_COUNT);
      KilledJob job = new KilledJob(folder, rings.path(), topic);
      RestartRecord restarts;
      try (ChildProcess tap = startTap(rings.path());
          RingWatch watch = RingWatch.start(new RingDirectory(rings.path()), RING_COUNT, tap)) {
        List<Long> deathsNs = killRepeatedly(job, tap, watch, new Random(seed), kills);
        restarts = new RestartRecord(watch.sights(), deathsNs, watch.slotsOfEach());
        tap.input().close();
        Programs.requireSuccess(tap, END_LIMIT);
        job.finish(END_LIMIT);
        System.out.println("KillITCase: " + restarts);
      } finally {
        job.close();
      }
      BatchLedger ledger = new BatchLedger();
      CommittedMessages.readAll(topic, READ_LIMIT, ledger::book);
      checkNothingDropped(restarts);
      checkPackets(ledger);
      return restarts;
    }
  }

  private ChildProcess startTap(Path rings) throws Exception {
    List<String> arguments =
        List.of(
            "synthetic",
            "--preset",
            "orderly",
            "--rate",
            "" + RATE,
            "--rings",
            rings.toString(),
            "--ring-count",
            "" + RING_COUNT,
            "--ring-bytes",
            Long.toString(ringBytes(rings)),
            "--stop-on-stdin-end",
            "--wait-for-reader",
            "--when-full",
            "drop",
            "--truth",
            folder.resolve("truth.json").toString(),
            "--report",
            folder.resolve("tap.json").toString());
    return ChildProcess.start(
        Programs.of(folder, "tap", "dev.flowstone.tap.command.TapCommand", arguments)
            .withJvmOptions("-Xmx512m", "-XX:+UseSerialGC"),
        ChildOutput.gatheredIn(folder));
  }

  /** Rings and the rest of the test share the memory: half of what is free is theirs. */
  private static long ringBytes(Path rings) throws Exception {
    long room = Files.getFileStore(rings).getUsableSpace();
    long bytes = Long.highestOneBit(Math.min(room, FreeMemory.bytes()) / 2 / RING_COUNT);
    return Math.min(bytes, MOST_RING_BYTES);
  }

  /** When the process died, each time. */
  private static List<Long> killRepeatedly(
      KilledJob job, ChildProcess tap, RingWatch watch, Random random, int kills) throws Exception {
    List<Long> deathsNs = new ArrayList<>();
    job.start();
    job.awaitCheckpoint();
    watch.awaitPackets(tap, TRAFFIC_LIMIT);
    for (int kill = 0; kill < kills; kill++) {
      KillMoment moment = KillMoment.of(kill);
      watch.awaitRoom(moment.freeShare(), CATCH_UP_LIMIT);
      moment.await(job, random);
      assertThat(tap.isAlive()).as("tap sends during kill %d: %s", kill, tap.errors()).isTrue();
      deathsNs.add(System.nanoTime());
      job.kill();
      job.start();
    }
    job.awaitCheckpoint();
    watch.awaitRoom(KillMoment.CAUGHT_UP, CATCH_UP_LIMIT);
    return deathsNs;
  }

  private void checkNothingDropped(RestartRecord restarts) throws Exception {
    for (JsonNode ring : tapReport().get("rings")) {
      assertThat(ring.get("dropped").asLong()).as("%s", restarts.whyDropped(RATE)).isZero();
    }
  }

  /** A machine that is busy with something else breaks no promise. */
  private static void sayRate(RestartRecord restarts) {
    double rate = restarts.offeredPerSecond().orElse(0);
    if (rate < LEAST_RATE) {
      System.out.printf(
          "KillITCase: NOT TRIED at %,d packets/s, but at the %,.0f that this machine made: test --all"
              + " asks for them%n",
          RATE, rate);
    }
  }

  /** What a slower tap sent came through, but would have come through more easily. */
  private static void checkRate(RestartRecord restarts) {
    assertThat(restarts.offeredPerSecond().orElse(0))
        .as(
            "packets/s that the tap offered; it was paced at %,d, so this machine is too slow at"
                + " the moment to try this promise: run it when nothing else runs",
            RATE)
        .isGreaterThanOrEqualTo(LEAST_RATE);
  }

  private JsonNode tapReport() throws Exception {
    return new ObjectMapper().readTree(folder.resolve("tap.json").toFile());
  }

  private void checkPackets(BatchLedger ledger) throws Exception {
    JsonNode report = tapReport();
    JsonNode truth = new ObjectMapper().readTree(folder.resolve("truth.json").toFile());
    System.out.printf(
        "KillITCase: offered %,d, read back %,d in %,d messages, lost %,d, %,d flows%n",
        report.get("offered").asLong(),
        ledger.packets(),
        ledger.batches(),
        ledger.lost(),
        ledger.distinctTuples());
    assertThat(ledger.faults()).isEmpty();
    assertThat(ledger.lost()).as("lost").isZero();
    assertThat(ledger.packets())
        .isEqualTo(report.get("offered").asLong())
        .isEqualTo(truth.get("packets").asLong());
    assertThat(ledger.distinctTuples())
        .isEqualTo(truth.get("distinct_5tuples_directional").asInt());
    assertThat(ledger.synWithoutAck()).isEqualTo(truth.get("syn_without_ack").asLong());
    assertThat(ledger.synWithAck()).isEqualTo(truth.get("syn_with_ack").asLong());
  }
}
