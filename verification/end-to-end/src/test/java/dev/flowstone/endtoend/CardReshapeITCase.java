// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.broker.process.SharedBroker;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.jobs.platform.PlatformOptions;
import dev.flowstone.offheap.ring.RingCounters;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingLineage;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.LoopbackPorts;
import dev.flowstone.processes.Signal;
import dev.flowstone.testbed.flink.FlinkRest;
import dev.flowstone.testbed.flink.PacketsJob;
import dev.flowstone.testbed.kafka.ReadSample;
import dev.flowstone.testbed.rings.AwaitedRings;
import dev.flowstone.testbed.rings.EmulatedCardsTap;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.core.execution.JobClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A tap of a card gets more rings, and fewer again, while a job reads them that has no exchange
 * behind them: the job fails over a ring that is another subtask's now, and goes on with each where
 * it belongs.
 */
@Tag("slow")
@Timeout(180)
class CardReshapeITCase {
  private static final String FEED = "generator:rate=20000";
  private static final String RULES = "rules: []\ndefault: {function: pass}\n";
  private static final int RINGS = EmulatedCardsTap.RINGS;
  private static final long SOME_PACKETS = 30_000;
  private static final long LIMIT_NS = 90_000_000_000L;

  @TempDir private static Path folder;

  @Test
  void shouldGiveEveryPacketOnce() throws Exception {
    Path keyGroups = Files.writeString(folder.resolve("key-groups"), "ring-count = " + RINGS);
    KafkaTopic topic = new KafkaTopic(SharedBroker.bootstrapServers(), "reshaped");
    topic.create(RINGS);
    KafkaTopic results = new KafkaTopic(topic.bootstrapServers(), "reshaped-results");
    results.create(1);
    try (ScratchFolder rings = ScratchFolder.inMemory("reshape");
        ChildProcess tap =
            EmulatedCardsTap.start(
                folder,
                rings.path(),
                1,
                FEED,
                "--wait-for-reader",
                "--key-groups",
                keyGroups.toString())) {
      AwaitedRings.in(rings.path(), RINGS);
      int port = LoopbackPorts.claimFree();
      JobClient job = start(topic, results, rings.path(), port);
      await(() -> ReadSample.of(topic).packets() > SOME_PACKETS);
      Files.writeString(keyGroups, "ring-count = " + 2 * RINGS);
      AwaitedRings.in(rings.path(), 2 * RINGS);
      await(() -> failures(port, job).contains("ring 1 of 4"));
      awaitMore(topic);
      long told = 0;
      for (RingFile givenUp : reshapeToFewer(keyGroups, rings.path())) {
        told += toldPackets(givenUp);
        givenUp.close();
      }
      await(() -> failures(port, job).contains("ring 1 of 2,"));
      awaitMore(topic);
      tap.send(Signal.TERM);
      EmulatedCardsTap.awaitReport(tap, folder);
      for (Path each : new RingDirectory(rings.path()).ringFiles()) {
        try (RingFile ring = RingFile.open(each)) {
          told += toldPackets(ring);
        }
      }
      long all = told;
      await(() -> ReadSample.of(topic).packets() >= all);
      job.cancel().get();
      ReadSample packets = ReadSample.of(topic);
      assertThat(packets.packets()).isEqualTo(all);
      assertThat(packets.lost()).isZero();
      assertThat(packets.streams()).hasSize(2 * RINGS);
    }
  }

  private static void awaitMore(KafkaTopic topic) throws Exception {
    long then = ReadSample.of(topic).packets();
    await(() -> ReadSample.of(topic).packets() > then + SOME_PACKETS);
  }

  /** As few as at first; those that are given up, whose files are gone. */
  private static List<RingFile> reshapeToFewer(Path keyGroups, Path rings) throws Exception {
    RingDirectory directory = new RingDirectory(rings);
    List<RingFile> more = directory.ringFiles().stream().skip(RINGS).map(RingFile::open).toList();
    assertThat(more).hasSize(RINGS);
    Files.writeString(keyGroups, "ring-count = " + RINGS);
    await(() -> directory.ringFiles().size() == RINGS);
    return more;
  }

  private static JobClient start(KafkaTopic topic, KafkaTopic results, Path rings, int port)
      throws Exception {
    PlatformOptions options = PacketsJob.options(topic, List.of(rings));
    options.resultsTopic = results.name();
    options.rules.file = Files.writeString(folder.resolve("rules.yaml"), RULES);
    Configuration configuration = new Configuration();
    configuration.set(RestOptions.BIND_PORT, "" + port);
    return PacketsJob.of(options, configuration).executeAsync("reshape");
  }

  /** What Flink says of those that it restarted the job for. */
  private static String failures(int port, JobClient job) throws Exception {
    try (FlinkRest flink = new FlinkRest("http://" + LoopbackPorts.HOST + ":" + port)) {
      return flink.failures(job.getJobID().toString());
    }
  }

  /** Packets that a ring was offered in all incarnations. */
  private static long toldPackets(RingFile ring) {
    RingCounters counters = ring.counters();
    assertThat(counters.lostBeforeTap() + counters.droppedPackets()).isZero();
    return counters.offeredPackets()
        + ring.lineage().ancestors().stream().mapToLong(RingLineage.Ancestor::offeredPackets).sum();
  }

  private static void await(Callable<Boolean> condition) throws Exception {
    long beganNs = System.nanoTime();
    while (!condition.call()) {
      assertThat(System.nanoTime() - beganNs).as("time waited").isLessThan(LIMIT_NS);
      Thread.sleep(500);
    }
  }
}
