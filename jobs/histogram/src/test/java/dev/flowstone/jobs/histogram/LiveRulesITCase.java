// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.histogram;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.harness.ClusterSize;
import dev.flowstone.harness.JobNews;
import dev.flowstone.harness.LocalCluster;
import dev.flowstone.harness.LocalJob;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.offheap.ParserProfile;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.RingSpecification;
import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.operators.histogram.HistogramResult;
import dev.flowstone.rules.function.Histogram.Measure;
import dev.flowstone.tap.Pacer;
import dev.flowstone.tap.TapLoop;
import dev.flowstone.traffic.synthetic.SyntheticOptions;
import dev.flowstone.traffic.synthetic.SyntheticSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rules change while the job runs, with RocksDB: what there is no room for is refused and the job
 * goes on, from its savepoint and with more room it is taken. Whatever happens, each packet is
 * counted once.
 */
@Timeout(180)
class LiveRulesITCase {
  private static final int RINGS = 2;
  private static final int SLOTS_LOG2 = 21;
  private static final int NETWORK_MEBIBYTES = 16;
  private static final int MANAGED_MEBIBYTES = 64;
  private static final long PACKETS_PER_SECOND = 20_000;

  private static final String PER_RULE =
      "rules: []\ndefault: {function: {histogram: {of: [packet_size], interval: 100ms}}}";
  private static final String PER_FLOW =
      "rules: []\n"
          + "default: {function: {histogram: {of: [packet_size], per: flow, interval: 100ms}}}";
  private static final String TOO_LARGE =
      "rules: []\ndefault: {function: {histogram: {of: [packet_size, inter_arrival], per: flow}}}";
  private static final String OTHER_INTERVAL =
      "rules: []\ndefault: {function: {histogram: {of: [packet_size], interval: 50ms}}}";

  @TempDir private Path folder;
  private final JobNews news = JobNews.listen();
  private ScratchFolder rings;
  private RingSetWriter writer;
  private SyntheticSource traffic;
  private TapLoop tap;
  private Future<?> tapping;
  private final ExecutorService taps = Executors.newSingleThreadExecutor();

  @BeforeEach
  void startTap() throws Exception {
    CollectedResults.ALL.clear();
    rings = ScratchFolder.inMemory("histogram-test");
    traffic =
        new SyntheticSource(
            SyntheticOptions.defaults()
                .withFlows(500)
                .withPacketsPerSecond(PACKETS_PER_SECOND)
                .withPackets(1L << SLOTS_LOG2));
    writer =
        RingSetWriter.create(
            new RingDirectory(rings.path()),
            new RingSpecification(
                RINGS,
                SLOTS_LOG2,
                traffic.clock(),
                LocalCluster.MAX_PARALLELISM,
                "test",
                Optional.empty()),
            WhenFull.DROP);
    tap =
        new TapLoop(
            traffic, writer, ParserProfile.SOFTWARE, Pacer.packetsPerSecond(PACKETS_PER_SECOND));
    tapping = taps.submit(tap::run);
  }

  @AfterEach
  void endTap() {
    tap.stop();
    taps.close();
    writer.close();
    traffic.close();
    rings.close();
  }

  @Test
  void shouldTakeUpWhatThereIsRoomForAndCountEachPacketOnce() throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(StateBackendOptions.STATE_BACKEND, "rocksdb");
    configuration.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(300));
    configuration.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY,
        folder.resolve("checkpoints").toUri().toString());
    Path rules = Files.writeString(folder.resolve("rules.yaml"), PER_RULE);
    try (LocalCluster cluster =
        LocalCluster.start(
            new ClusterSize(RINGS, NETWORK_MEBIBYTES, MANAGED_MEBIBYTES), configuration)) {
      LocalJob first = submit(cluster, rules, null, null);
      await(first, () -> count(each -> true) > 0);
      replace(rules, PER_FLOW);
      awaitRefusal(first);
      assertThat(count(LiveRulesITCase::isPerFlow)).isZero();

      LocalJob second = submit(cluster, rules, 1_300, first.stop(folder.resolve("savepoints")));
      await(second, () -> count(LiveRulesITCase::isPerFlow) > 1_000);
      replace(rules, TOO_LARGE);
      awaitRefusal(second);
      replace(rules, OTHER_INTERVAL);
      await(second, () -> count(each -> each.endNs() - each.beginNs() == 50_000_000) > 3);
      tap.stop();
      tapping.get();
      writer.end();
      second.result().get(60, TimeUnit.SECONDS);
    }
    assertThat(count(each -> each.subject().measure() == Measure.INTER_ARRIVAL)).isZero();
    assertThat(CollectedResults.ALL.stream().mapToLong(HistogramResult::count).sum())
        .isEqualTo(tap.offeredPackets());
  }

  private LocalJob submit(LocalCluster cluster, Path rules, Integer flowBytes, String savepoint)
      throws Exception {
    HistogramOptions options = new HistogramOptions();
    options.rings.folders = List.of(rings.path());
    options.rings.bounded = savepoint != null;
    options.rules.file = rules;
    options.flows.histogramBytes = flowBytes;
    options.flows.mostFlows = 1 << 15;
    return cluster.submit(
        RINGS,
        environment -> {
          if (savepoint != null) {
            environment.configure(
                new Configuration().set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint));
          }
          CollectedResults.collect(HistogramJob.histograms(environment, options));
        });
  }

  private static boolean isPerFlow(HistogramResult result) {
    return result.subject().flow() != null;
  }

  private static long count(Predicate<HistogramResult> which) {
    return CollectedResults.ALL.stream().filter(which).count();
  }

  private void awaitRefusal(LocalJob job) throws Exception {
    await(job, () -> news.take().stream().anyMatch(line -> line.contains("rules are refused")));
  }

  private static void await(LocalJob job, BooleanSupplier done) throws Exception {
    while (!done.getAsBoolean()) {
      assertThat(job.isRunning()).isTrue();
      assertThat(job.latestFailure()).isEmpty();
      Thread.sleep(50);
    }
  }

  private void replace(Path file, String text) throws Exception {
    Path written = Files.writeString(folder.resolve("written.yaml"), text);
    Files.move(written, file, StandardCopyOption.REPLACE_EXISTING);
  }
}
