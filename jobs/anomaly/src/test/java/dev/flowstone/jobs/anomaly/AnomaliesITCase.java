// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.connector.fpga.FlowExchange;
import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.connector.fpga.RingBlocks;
import dev.flowstone.harness.failure.FailureInjection;
import dev.flowstone.harness.failure.FailureInjection.Place;
import dev.flowstone.operators.ruled.FunctionKind;
import dev.flowstone.operators.ruled.LiveRules;
import dev.flowstone.operators.ruled.RuledBlocks;
import dev.flowstone.operators.ruled.RulesText;
import dev.flowstone.results.JsonResult;
import dev.flowstone.results.Result;
import dev.flowstone.tap.HeldBackSource;
import dev.flowstone.tap.Pacer;
import dev.flowstone.tap.RecordedRings;
import dev.flowstone.traffic.synthetic.SynFlood;
import dev.flowstone.traffic.synthetic.SyntheticOptions;
import dev.flowstone.traffic.synthetic.SyntheticSource;
import dev.flowstone.traffic.synthetic.SyntheticTruth;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Finds a flood in generated traffic on real rings with two subtasks that keep their state in
 * RocksDB and fail during the flood. The results are those of the generator, and those of a run
 * with one subtask and without a failure.
 */
@Timeout(120)
class AnomaliesITCase {
  /** The capacity of the rings. */
  private static final long MAX_PACKETS = 300_000;

  private static final SyntheticOptions TRAFFIC =
      SyntheticOptions.preset("benign")
          .withPacketsPerSecond(5_000)
          .withFlows(1_000)
          .withDuration(Duration.ofSeconds(40))
          .withFlood(new SynFlood(Duration.ofSeconds(11), Duration.ofSeconds(12), 2_000, 3_000));

  private static final long PACKETS_BEFORE_FAILURE = 90_000;

  /** Two rules with an option that differs, so that packets of a block have either. */
  private static final String RULES =
      """
      rules:
        - name: floods
          match: {protocol: tcp}
          function:
            anomaly:
              - {detect: syn_flood, threshold: 10}
              - {detect: syn_flood, threshold: 500, window: 5s, slide: 1s, baseline: {times: 3, half_life: 1h}}
              - {detect: syn_flood, threshold: 20, least_completed_percent: 60}
        - name: datagrams
          match: {protocol: udp}
          function: {anomaly: [{detect: udp_flood, threshold: 300, window: 2s}]}
      default: {function: drop}
      """;

  private static final Set<String> FOUND = new ConcurrentSkipListSet<>();

  @RegisterExtension
  static final MiniClusterExtension CLUSTER =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(2)
              .build());

  @TempDir private Path folder;

  private static final class Kept<R extends Result> implements MapFunction<R, String> {
    private static final long serialVersionUID = 1L;

    @Override
    public String map(R result) {
      FOUND.add(JsonResult.of(result));
      return result.kind();
    }
  }

  @Test
  void shouldFindTheSameWhenItFailsInBetween() throws Exception {
    Set<String> harmed;
    try (SyntheticSource traffic = new SyntheticSource(TRAFFIC);
        ExecutorService taps = Executors.newSingleThreadExecutor();
        FailureInjection failures = new FailureInjection()) {
      CountDownLatch ringsExist = new CountDownLatch(1);
      Future<?> tap = taps.submit(() -> fillRings(traffic, failures, ringsExist::countDown));
      assertThat(ringsExist.await(20, TimeUnit.SECONDS)).as("rings exist").isTrue();
      JobClient job = start(2, "harmed", failures);
      failures.failOnce(Place.PROCESSING);
      tap.get();
      harmed = finish(job);
      requireTruth(harmed, traffic.truth());
    }
    try (FailureInjection none = new FailureInjection()) {
      assertThat(finish(start(1, "unharmed", none))).isEqualTo(harmed);
    }
  }

  private static void requireTruth(Set<String> found, SyntheticTruth truth) {
    assertThat(found.stream().filter(line -> line.contains("\"detector\":\"syn_flood\"")))
        .filteredOn(line -> line.contains("\"kind\":\"syn_window\""))
        .hasSize(Math.toIntExact(truth.synWindowsOver10()));
    for (SyntheticTruth.SynWindow window : truth.synsOver10ByDestination()) {
      assertThat(found).contains(line(window));
    }
    assertThat(found).anyMatch(line -> line.contains("\"detector\":\"syn_flood-3\""));
    assertThat(found).anyMatch(line -> line.contains("\"detector\":\"udp_flood\""));
    assertThat(found)
        .anyMatch(
            line ->
                line.contains("\"state\":\"opened\"")
                    && line.contains(
                        "\"detector\":\"syn_flood-2\",\"subject\":\""
                            + truth.flood().orElseThrow().victim()));
  }

  private static String line(SyntheticTruth.SynWindow window) {
    long endNs = window.windowStartNs() + 5_000_000_000L;
    return "{\"kind\":\"syn_window\",\"time_ns\":%d,\"rule\":\"floods\",\"detector\":\"syn_flood\",\"destination\":\"%s\",\"window_begin_ns\":%d,\"window_end_ns\":%d,\"count\":%d,\"threshold\":10}"
        .formatted(endNs, window.destination(), window.windowStartNs(), endNs, window.syns());
  }

  /** The end of the flood arrives after the checkpoint that precedes the failure. */
  private void fillRings(SyntheticSource traffic, FailureInjection failures, Runnable ringsExist) {
    RecordedRings.fill(
        folder.resolve("rings"),
        new HeldBackSource(traffic, PACKETS_BEFORE_FAILURE, () -> failures.isDue(1)),
        MAX_PACKETS,
        Pacer.unpaced(),
        ringsExist);
  }

  private static Set<String> finish(JobClient job) throws Exception {
    job.getJobExecutionResult().get(60, TimeUnit.SECONDS);
    Set<String> found = new TreeSet<>(FOUND);
    FOUND.clear();
    return found;
  }

  private JobClient start(int parallelism, String name, FailureInjection failures)
      throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(PipelineOptions.MAX_PARALLELISM, RecordedRings.KEY_GROUPS);
    configuration.set(PipelineOptions.GENERIC_TYPES, false);
    configuration.set(StateBackendOptions.STATE_BACKEND, "rocksdb");
    configuration.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
    configuration.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY,
        folder.resolve("checkpoints").toUri().toString());
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(100));
    FailureInjection.allowRestarts(configuration, Duration.ofMillis(10));
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    environment.setParallelism(parallelism);
    RingBlocks read =
        FlowExchange.AUTO.read(
            environment,
            FpgaSource.builder()
                .ringDirectory(folder.resolve("rings"))
                .readerName(name)
                .blockRecords(512)
                .bounded(),
            "rings");
    RingBlocks blocks = new RingBlocks(failures.in(read.packets()), read.areByFlow());
    Anomalies found =
        Anomalies.of(
            RuledBlocks.of(
                    blocks, LiveRules.fixed(new RulesText(1, "test", RULES), _ -> {}), "Rules")
                .byFlow(FunctionKind.ANOMALY));
    found.alerts().map(new Kept<>()).returns(Types.STRING).sinkTo(new DiscardingSink<>());
    found.synWindows().map(new Kept<>()).returns(Types.STRING).sinkTo(new DiscardingSink<>());
    return environment.executeAsync(name);
  }
}
