// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.operators.FlowRecords;
import dev.flowstone.operators.FlowRoom;
import dev.flowstone.operators.KeyedBlocks;
import dev.flowstone.operators.histogram.HistogramRoom;
import dev.flowstone.operators.histogram.Histograms;
import dev.flowstone.operators.ruled.FunctionKind;
import dev.flowstone.operators.ruled.LiveRules;
import dev.flowstone.operators.ruled.RuledBlocks;
import dev.flowstone.operators.ruled.RulesText;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.rules.function.Aggregate;
import dev.flowstone.rules.function.Histogram;
import dev.flowstone.rules.function.ServiceFunction;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * What it costs to lose no state: packets per second into flow records of a million flows while
 * checkpoints are taken, beside the same without. Every flow has packets between two checkpoints,
 * so that all pages of the flow table are dirty: there is no worse.
 */
final class StateBenchmark implements Benchmark {
  private static final int FLOWS = 1_000_000;

  /** About as fast as one core works on them: time goes as fast in the packets as here. */
  private static final long PACKETS_PER_SECOND = 10_000_000;

  private static final FlowRoom ROOM = new FlowRoom(1_300_000, FlowRoom.USUAL.inState());
  private static final Duration NO_CHECKPOINTS = Duration.ZERO;
  private static final Duration WARM_UP = Duration.ofSeconds(5);
  private static final Duration LAP_LIMIT = Duration.ofSeconds(30);
  private static final String OF_RESAMPLED = "_resampled";

  @Override
  public String name() {
    return "state";
  }

  @Override
  public String description() {
    return "packets/s per core into records of 1 M flows with checkpoints; baseline: without";
  }

  @Override
  public Steps steps(BenchScale scale) {
    BenchScale half = halfOf(scale);
    Steps figure = Steps.of(half, half);
    return scale.isQuick() ? figure : figure.times(3);
  }

  @Override
  public BenchResult run(BenchScale scale) throws Exception {
    BenchScale half = halfOf(scale);
    Duration interval = half.window();
    CheckpointedRun with;
    CheckpointedRun without;
    Map<String, Object> others = new LinkedHashMap<>();
    try (PacketSource source = UniformFlows.of(FLOWS, PACKETS_PER_SECOND, scale.packets());
        FilledRings rings = FilledRings.with(source, scale.packets())) {
      without = measure(rings, Aggregate.USUAL, half, NO_CHECKPOINTS);
      with = measure(rings, Aggregate.USUAL, half, interval);
      if (!scale.isQuick()) {
        // In the reverse order: a drift of the machine affects both alike.
        with = with.and(measure(rings, Aggregate.USUAL, half, interval));
        without = without.and(measure(rings, Aggregate.USUAL, half, NO_CHECKPOINTS));
        others.putAll(ofHistograms(rings, half));
      }
    }
    if (!scale.isQuick()) {
      others.putAll(ofResampled(scale.packets(), half));
    }
    Map<String, Object> further = new LinkedHashMap<>(keys(with, ""));
    further.put("baseline_by_the_clock", median(without.byTheClock()));
    further.put("baseline_least_100ms", without.leastSample());
    further.put("loss_percent", lossPercent(with.byTheClock(), without.byTheClock()));
    further.put("loss_percent_per_core", lossPercent(with.perCore(), without.perCore()));
    further.put("checkpoints", with.checkpointBytes().size());
    further.put("bytes_per_checkpoint", bytesPerCheckpoint(with));
    further.put("stopped_ms", with.stoppedMs());
    further.put("dirty_bytes", with.flowBytes());
    further.put("written_per_dirty", bytesPerCheckpoint(with) / with.flowBytes());
    further.putAll(others);
    further.put("clock", "CPU time of the process");
    return new BenchResult(
        name(),
        "packets/s",
        BenchResult.Better.MORE,
        new Windows(with.perCore()),
        new Windows(without.perCore()),
        "the same job without checkpoints",
        further);
  }

  private static Map<String, Object> ofHistograms(FilledRings rings, BenchScale scale)
      throws Exception {
    Histogram perFlow = Histogram.usual(Histogram.Per.FLOW);
    CheckpointedRun histograms = measure(rings, perFlow, scale, scale.window());
    Map<String, Object> keys = new LinkedHashMap<>();
    keys.put("histogram_flow_bytes", histograms.flowBytes());
    keys.put("histogram_process_bytes", histograms.processBytes());
    return keys;
  }

  private static Map<String, Object> ofResampled(long packets, BenchScale scale) throws Exception {
    try (FilledRings rings = FilledRings.with(Mix.RESAMPLED, packets)) {
      CheckpointedRun resampled = measure(rings, Aggregate.USUAL, scale, scale.window());
      Map<String, Object> keys = new LinkedHashMap<>();
      keys.put("figure" + OF_RESAMPLED, median(resampled.perCore()));
      keys.put("range" + OF_RESAMPLED, new Windows(resampled.perCore()).range());
      keys.putAll(keys(resampled, OF_RESAMPLED));
      keys.put("mix" + OF_RESAMPLED, Mix.RESAMPLED.describe());
      return keys;
    }
  }

  /** For each of two runs half of the windows, each with one checkpoint in it. */
  private static BenchScale halfOf(BenchScale scale) {
    BenchScale whole = scale.withLongWindows();
    BenchScale half = scale.isQuick() ? whole : whole.withWindows((scale.windows() + 1) / 2);
    return scale.isFull() ? half.withWarmUp(WARM_UP) : half;
  }

  private static CheckpointedRun measure(
      FilledRings rings, ServiceFunction function, BenchScale scale, Duration interval)
      throws Exception {
    Progress.step(
        function.name()
            + (interval.isZero()
                ? ", no checkpoints"
                : ", a checkpoint every %,d ms".formatted(interval.toMillis())),
        scale);
    try (FlinkRun run =
        FlinkRun.startAsUsersDo(1, interval, at -> build(at, rings.path(), function))) {
      Windows.awaitGrowth(CountedBlocks.PACKETS::sum);
      // Then all flows have been seen, and their memory was touched.
      CountedBlocks.await(scale.packets(), LAP_LIMIT);
      return CheckpointedRun.of(run, scale, !interval.isZero());
    }
  }

  private static void build(
      StreamExecutionEnvironment environment, Path rings, ServiceFunction function) {
    RulesText rules = SamplingBenchmark.textOf(function);
    RuledBlocks ruled =
        RuledBlocks.of(
            CountedBlocks.byFlow(environment, rings), LiveRules.fixed(rules, _ -> {}), "Rules");
    if (function instanceof Histogram) {
      Histograms.of(ruled, HistogramRoom.of(rules.read().rules()), ROOM)
          .each()
          .forEach(CountedResults::end);
    } else {
      CountedResults.end(
          KeyedBlocks.ofRuled(ruled.byFlow(FunctionKind.AGGREGATE))
              .room(ROOM)
              .process(
                  "Flow records",
                  new FlowRecords(Aggregate.USUAL.activeTimeout(), Aggregate.USUAL.idleTimeout())));
    }
  }

  private static Map<String, Object> keys(CheckpointedRun run, String ending) {
    Map<String, Object> keys = new LinkedHashMap<>();
    keys.put("by_the_clock" + ending, median(run.byTheClock()));
    keys.put("least_100ms" + ending, run.leastSample());
    keys.put("samples_at_zero" + ending, run.samplesAtZero());
    return keys;
  }

  private static double lossPercent(List<Double> with, List<Double> without) {
    return 100 * (1 - median(with) / median(without));
  }

  private static double median(List<Double> values) {
    return new Windows(values).median();
  }

  private static double bytesPerCheckpoint(CheckpointedRun run) {
    return new Windows(run.checkpointBytes().stream().map(Long::doubleValue).toList()).median();
  }
}
