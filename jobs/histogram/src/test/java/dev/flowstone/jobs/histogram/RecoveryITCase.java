// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.histogram;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.harness.ClusterSize;
import dev.flowstone.harness.LocalCluster;
import dev.flowstone.harness.LocalJob;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.harness.failure.FailureInjection;
import dev.flowstone.harness.failure.FailureInjection.Place;
import dev.flowstone.operators.histogram.HistogramResult;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.results.JsonResult;
import dev.flowstone.results.ResultKey;
import dev.flowstone.rules.function.Histogram.Measure;
import dev.flowstone.rules.function.Histogram.Per;
import dev.flowstone.tap.HeldBackSource;
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
import org.apache.flink.configuration.StateBackendOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The same rings give the same bytes: to a job with one subtask, and to a job with two subtasks
 * that keeps its state in RocksDB and fails twice.
 */
@Timeout(180)
class RecoveryITCase {
  private static final int PACKETS = 150_000;
  private static final int FLOWS = 500;

  /** Of packet time: each part of the packets ends some intervals. */
  private static final int PACKETS_PER_SECOND = 50_000;

  private static final int FAILURES = 2;
  private static final int RESULTS_PER_FORM_CHECK = 100;
  private static final int NETWORK_MEBIBYTES = 16;
  private static final int MANAGED_MEBIBYTES = 64;

  @TempDir private Path folder;
  private ScratchFolder rings;
  private final FailureInjection failures = new FailureInjection();
  private final ExecutorService taps = Executors.newSingleThreadExecutor();
  private Future<?> tap;

  @BeforeEach
  void startTap() throws Exception {
    rings = ScratchFolder.inMemory("histogram-test");
    CountDownLatch ringsExist = new CountDownLatch(1);
    tap = taps.submit(() -> fill(ringsExist::countDown));
    assertThat(ringsExist.await(20, TimeUnit.SECONDS)).as("rings exist").isTrue();
  }

  /** Each part of the packets arrives after the checkpoint that precedes a failure. */
  private void fill(Runnable ringsExist) {
    PacketSource parts =
        new SyntheticSource(
            SyntheticOptions.defaults()
                .withFlows(FLOWS)
                .withPacketsPerSecond(PACKETS_PER_SECOND)
                .withPackets(PACKETS));
    for (int failure = FAILURES; failure > 0; failure--) {
      int next = failure;
      long packetsBefore = (long) PACKETS * failure / (FAILURES + 1);
      parts = new HeldBackSource(parts, packetsBefore, () -> failures.isDue(next));
    }
    try (PacketSource source = parts) {
      RecordedRings.fill(rings.path(), source, PACKETS, Pacer.unpaced(), ringsExist);
    }
  }

  @AfterEach
  void removeRings() {
    failures.close();
    taps.close();
    rings.close();
  }

  /** State in the flow table, and sums outside of the table. */
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
    failing.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(50));
    FailureInjection.allowRestarts(failing, Duration.ofMillis(10));
    Map<String, String> disturbed = run(per, RecordedRings.RINGS, failing, FAILURES);

    tap.get();
    assertThat(disturbed).isEqualTo(run(per, 1, new Configuration(), 0));
  }

  private Map<String, String> run(
      Per per, int parallelism, Configuration configuration, int failureCount) throws Exception {
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
      LocalJob job =
          cluster.submit(
              parallelism,
              environment ->
                  CollectedResults.collect(
                      failures.in(HistogramJob.histograms(environment, options))));
      for (int i = 0; i < failureCount; i++) {
        failures.failOnce(Place.PROCESSING);
      }
      job.result().get(60, TimeUnit.SECONDS);
    }
    return results();
  }

  /** Results that are repeated after a failure are equal, and each packet is counted once. */
  private static Map<String, String> results() throws Exception {
    PublishedForm form = new PublishedForm();
    Map<String, String> results = new TreeMap<>();
    Map<String, Long> packets = new TreeMap<>();
    for (HistogramResult result : CollectedResults.ALL) {
      String key = result.timeNs() + " " + ResultKey.of(result);
      String json = JsonResult.of(result);
      if (results.size() % RESULTS_PER_FORM_CHECK == 0) {
        form.require(result, json);
      }
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
