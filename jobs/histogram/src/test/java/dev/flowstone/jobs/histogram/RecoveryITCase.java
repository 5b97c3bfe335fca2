// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.histogram;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.harness.ClusterSize;
import dev.flowstone.harness.LocalCluster;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.operators.histogram.HistogramResult;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.results.JsonResult;
import dev.flowstone.results.ResultKey;
import dev.flowstone.rules.function.Histogram.Measure;
import dev.flowstone.rules.function.Histogram.Per;
import dev.flowstone.tap.Pacer;
import dev.flowstone.tap.RecordedRings;
import dev.flowstone.traffic.synthetic.SyntheticOptions;
import dev.flowstone.traffic.synthetic.SyntheticSource;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The same rings give the same bytes: with one subtask, or with two that take checkpoints to
 * RocksDB all the time and fail twice.
 */
@Timeout(180)
class RecoveryITCase {
  private static final int PACKETS = 600_000;
  private static final int FAILURES = 2;
  private static final int NETWORK_MEBIBYTES = 16;
  private static final int MANAGED_MEBIBYTES = 64;

  private static final Duration PATIENCE = Duration.ofSeconds(40);

  /** Slow enough for some checkpoints while packets come. */
  private static final long PACKETS_PER_SECOND = 200_000;

  @TempDir private Path folder;
  private ScratchFolder rings;
  private final ExecutorService taps = Executors.newSingleThreadExecutor();
  private Future<?> tap;
  private long givesUpNs;

  @BeforeEach
  void startTap() throws Exception {
    rings = ScratchFolder.inMemory("histogram-test");
    CollectedResults.FAILURES_LEFT.set(FAILURES);
    givesUpNs = System.nanoTime() + PATIENCE.toNanos();
    CountDownLatch begun = new CountDownLatch(1);
    tap = taps.submit(() -> fill(begun::countDown));
    assertThat(begun.await(20, TimeUnit.SECONDS)).as("rings are there").isTrue();
  }

  private void fill(Runnable begun) {
    SyntheticOptions traffic =
        SyntheticOptions.defaults()
            .withFlows(2_000)
            .withPackets(PACKETS)
            .withPacketsPerSecond(PACKETS_PER_SECOND);
    // Failures come with checkpoints, which a busy disk delays: there are packets left for them.
    try (PacketSource source =
        new HeldBackSource(
            new SyntheticSource(traffic), PACKETS - PACKETS_PER_SECOND / 2, this::isDisturbed)) {
      RecordedRings.fill(
          rings.path(), source, PACKETS, Pacer.packetsPerSecond(PACKETS_PER_SECOND), begun);
    }
  }

  private boolean isDisturbed() {
    return CollectedResults.FAILURES_LEFT.get() == 0 || System.nanoTime() - givesUpNs > 0;
  }

  @AfterEach
  void removeRings() {
    taps.close();
    rings.close();
  }

  /** What is kept for each flow, and what is summed up. */
  @ParameterizedTest
  @EnumSource(names = {"FLOW", "SOURCE_PREFIX"})
  void shouldSayTheSameAfterFailures(Per per) throws Exception {
    requireSame(per);
  }

  @ParameterizedTest
  @EnumSource(
      names = {"FLOW", "SOURCE_PREFIX"},
      mode = EnumSource.Mode.EXCLUDE)
  @Tag("slow")
  void shouldSayTheSameAfterFailuresOfOtherSums(Per per) throws Exception {
    requireSame(per);
  }

  private void requireSame(Per per) throws Exception {
    Configuration failing = new Configuration();
    failing.set(StateBackendOptions.STATE_BACKEND, "rocksdb");
    failing.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
    failing.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY, folder.resolve("" + per).toUri().toString());
    failing.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(20));
    failing.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
    failing.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, FAILURES);
    failing.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(10));
    Map<String, String> disturbed = run(per, RecordedRings.RINGS, failing);

    assertThat(CollectedResults.FAILURES_LEFT).as("failures that did not happen").hasValue(0);
    tap.get();
    assertThat(disturbed).isEqualTo(run(per, 1, new Configuration()));
  }

  private Map<String, String> run(Per per, int parallelism, Configuration configuration)
      throws Exception {
    CollectedResults.ALL.clear();
    HistogramOptions options = new HistogramOptions();
    options.rings.folders = List.of(rings.path());
    options.rings.bounded = true;
    options.per = per;
    options.of = EnumSet.allOf(Measure.class);
    options.interval = Duration.ofMillis(250);
    options.flows.mostFlows = 1 << 17;
    try (LocalCluster cluster =
        LocalCluster.start(
            new ClusterSize(parallelism, NETWORK_MEBIBYTES, MANAGED_MEBIBYTES), configuration)) {
      cluster
          .submit(
              parallelism,
              environment ->
                  CollectedResults.collect(HistogramJob.histograms(environment, options)))
          .result()
          .get(60, TimeUnit.SECONDS);
    }
    return results();
  }

  /** What is told again after a failure is the same again; no packet is in none or in two. */
  private static Map<String, String> results() throws Exception {
    PublishedForm form = new PublishedForm();
    Map<String, String> results = new TreeMap<>();
    Map<String, Long> packets = new TreeMap<>();
    for (HistogramResult result : CollectedResults.ALL) {
      String key = result.timeNs() + " " + ResultKey.of(result);
      String json = JsonResult.of(result);
      form.require(result, json);
      String former = results.put(key, json);
      assertThat(former == null || former.equals(json)).as("%s, %s", former, json).isTrue();
      if (result.subject().measure() == Measure.PACKET_SIZE) {
        packets.put(key, result.count());
      }
    }
    assertThat(packets.values().stream().mapToLong(each -> each).sum()).isEqualTo(PACKETS);
    return results;
  }
}
