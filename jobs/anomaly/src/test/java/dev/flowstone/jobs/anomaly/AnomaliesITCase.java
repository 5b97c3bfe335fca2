// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockTypeInformation;
import dev.flowstone.connector.fpga.FlowExchange;
import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.connector.fpga.RingBlocks;
import dev.flowstone.operators.ruled.FunctionKind;
import dev.flowstone.operators.ruled.LiveRules;
import dev.flowstone.operators.ruled.RuledBlocks;
import dev.flowstone.operators.ruled.RulesText;
import dev.flowstone.results.JsonResult;
import dev.flowstone.results.Result;
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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Generated traffic with a flood in it, on real rings, by two subtasks that keep their state in
 * RocksDB and fail in the middle: what is found is what the generator says, and what a run finds
 * that does not fail.
 */
@Timeout(120)
class AnomaliesITCase {
  /** That there is room for. */
  private static final long PACKETS = 300_000;

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
  private static final AtomicBoolean FAILS = new AtomicBoolean();
  private static final AtomicInteger FAILURES = new AtomicInteger();

  @RegisterExtension
  static final MiniClusterExtension CLUSTER =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(2)
              .build());

  @TempDir private Path folder;

  /** Fails with the first block after its second checkpoint, once. */
  private static final class Saboteur
      implements MapFunction<PacketBlock, PacketBlock>, CheckpointListener {
    private static final long serialVersionUID = 1L;
    private static final int BLOCKS_IN_BETWEEN = 3;

    private int checkpoints;
    private int blocks;

    @Override
    public PacketBlock map(PacketBlock block) throws InterruptedException {
      // Some checkpoints are to come while there are packets, on a busy machine as well.
      Thread.sleep(FAILS.get() ? 30 : 1);
      if (checkpoints >= 2 && ++blocks > BLOCKS_IN_BETWEEN && FAILS.compareAndSet(true, false)) {
        FAILURES.incrementAndGet();
        throw new IllegalStateException("as the test has it");
      }
      return block;
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) {
      checkpoints++;
    }
  }

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
    SyntheticTruth truth = fillRings();
    Set<String> unharmed = run(2, false);
    Set<String> harmed = run(2, true);

    assertThat(FAILURES).hasValue(1);
    assertThat(harmed).isEqualTo(unharmed);
    assertThat(run(1, false)).isEqualTo(unharmed);
    assertThat(unharmed.stream().filter(line -> line.contains("\"detector\":\"syn_flood\"")))
        .filteredOn(line -> line.contains("\"kind\":\"syn_window\""))
        .hasSize(Math.toIntExact(truth.synWindowsOver10()));
    for (SyntheticTruth.SynWindow window : truth.synsOver10ByDestination()) {
      assertThat(unharmed).contains(line(window));
    }
    assertThat(unharmed).anyMatch(line -> line.contains("\"detector\":\"syn_flood-3\""));
    assertThat(unharmed).anyMatch(line -> line.contains("\"detector\":\"udp_flood\""));
    assertThat(unharmed)
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

  private SyntheticTruth fillRings() {
    SyntheticOptions options =
        SyntheticOptions.preset("benign")
            .withPacketsPerSecond(5_000)
            .withFlows(1_000)
            .withDuration(Duration.ofSeconds(40))
            .withFlood(new SynFlood(Duration.ofSeconds(11), Duration.ofSeconds(12), 2_000, 3_000));
    try (SyntheticSource source = new SyntheticSource(options)) {
      RecordedRings.fill(folder.resolve("rings"), source, PACKETS);
      return source.truth();
    }
  }

  private Set<String> run(int parallelism, boolean fails) throws Exception {
    FOUND.clear();
    FAILS.set(fails);
    Configuration configuration = new Configuration();
    configuration.set(PipelineOptions.MAX_PARALLELISM, RecordedRings.KEY_GROUPS);
    configuration.set(PipelineOptions.GENERIC_TYPES, false);
    configuration.set(StateBackendOptions.STATE_BACKEND, "rocksdb");
    configuration.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
    configuration.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY,
        folder.resolve("checkpoints").toUri().toString());
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(100));
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 1);
    configuration.set(
        RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(10));
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    environment.setParallelism(parallelism);
    RingBlocks read =
        FlowExchange.AUTO.read(
            environment,
            FpgaSource.builder()
                .ringDirectory(folder.resolve("rings"))
                .readerName("run-" + parallelism + fails)
                .blockRecords(512)
                .bounded(),
            "rings");
    RingBlocks blocks =
        new RingBlocks(
            read.packets().map(new Saboteur()).returns(PacketBlockTypeInformation.INSTANCE),
            read.areByFlow());
    Anomalies found =
        Anomalies.of(
            RuledBlocks.of(
                    blocks, LiveRules.fixed(new RulesText(1, "test", RULES), _ -> {}), "Rules")
                .byFlow(FunctionKind.ANOMALY));
    found.alerts().map(new Kept<>()).returns(Types.STRING).sinkTo(new DiscardingSink<>());
    found.synWindows().map(new Kept<>()).returns(Types.STRING).sinkTo(new DiscardingSink<>());
    environment.executeAsync("anomalies").getJobExecutionResult().get(60, TimeUnit.SECONDS);
    return new TreeSet<>(FOUND);
  }
}
