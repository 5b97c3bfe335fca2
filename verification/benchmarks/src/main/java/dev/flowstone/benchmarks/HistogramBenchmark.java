// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.operators.FlowRoom;
import dev.flowstone.operators.histogram.HistogramRoom;
import dev.flowstone.operators.histogram.Histograms;
import dev.flowstone.operators.ruled.LiveRules;
import dev.flowstone.operators.ruled.RuledBlocks;
import dev.flowstone.operators.ruled.RulesText;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.rules.function.Histogram;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Packets per second of which one core keeps a histogram of inter-arrival times per flow, told each
 * ten seconds of packet time, with few flows and with many.
 */
final class HistogramBenchmark implements Benchmark {
  private static final int FEW = 10_000;
  private static final int MANY = 1_000_000;
  private static final String OF_MANY = "_1m";
  private static final String OF_RESAMPLED = "_resampled";

  /** About as fast as one core works on many flows: time goes as fast in the packets as here. */
  private static final long PACKETS_PER_SECOND = 10_000_000;

  /** Resampled traffic has 0.65 M. */
  private static final FlowRoom ROOM = new FlowRoom(1_300_000, FlowRoom.USUAL.inState());

  private static final Histogram HISTOGRAM = Histogram.usual(Histogram.Per.FLOW);

  private static final Duration LAP_LIMIT = Duration.ofSeconds(30);

  @Override
  public String name() {
    return "histogram";
  }

  @Override
  public String description() {
    return "packets/s per core into histograms per flow, 10 k and 1 M flows; baseline: keyed state";
  }

  @Override
  public Steps steps(BenchScale scale) {
    Steps few = Steps.of(scale, scale.beside());
    return scale.isQuick()
        ? few
        : few.plus(Steps.of(scale.withLongWindows(), scale.beside()))
            .plus(Steps.ofUnknownLength(1));
  }

  @Override
  public BenchResult run(BenchScale scale) throws Exception {
    Both few = measure(FEW, scale, scale);
    Map<String, Object> further = new LinkedHashMap<>(few.furtherKeys(""));
    if (!scale.isQuick()) {
      further.putAll(ofMany(scale));
      further.putAll(ofResampled(scale));
    }
    further.put("clock", "CPU time of the process");
    return new BenchResult(
        name(),
        "packets/s",
        BenchResult.Better.MORE,
        few.ours.perCore(),
        few.theirs.perCore(),
        "Flink's keyBy flow, counts of each flow as an array of bytes in RocksDB, same packets",
        further);
  }

  private static Map<String, Object> ofMany(BenchScale scale) throws Exception {
    Both many = measure(MANY, scale, scale.withLongWindows());
    Map<String, Object> keys = many.ours.toKeys(OF_MANY);
    keys.put("runs" + OF_MANY, many.ours.perCore().values());
    keys.put("baseline" + OF_MANY, many.theirs.perCore().median());
    keys.put("baseline_range" + OF_MANY, many.theirs.perCore().range());
    keys.put("ratio" + OF_MANY, many.ratio());
    keys.putAll(many.furtherKeys(OF_MANY));
    return keys;
  }

  private static Map<String, Object> ofResampled(BenchScale scale) throws Exception {
    FlinkRates resampled = resampled(scale);
    Map<String, Object> keys = resampled.toKeys(OF_RESAMPLED);
    keys.put("packets_per_result" + OF_RESAMPLED, resampled.packetsPerResult());
    keys.put("mix" + OF_RESAMPLED, Mix.RESAMPLED.describe());
    return keys;
  }

  /** Ours and the baseline on the same packets. */
  private record Both(FlinkRates ours, FlinkRates theirs) {
    double ratio() {
      return ours.perCore().median() / theirs.perCore().median();
    }

    Map<String, Object> furtherKeys(String ending) {
      Map<String, Object> keys = new LinkedHashMap<>();
      keys.put("by_the_clock" + ending, ours.byTheClock().median());
      keys.put("baseline_by_the_clock" + ending, theirs.byTheClock().median());
      keys.put("packets_per_result" + ending, ours.packetsPerResult());
      return keys;
    }
  }

  private static Both measure(int flows, BenchScale scale, BenchScale windows) throws Exception {
    try (PacketSource source = UniformFlows.of(flows, PACKETS_PER_SECOND, scale.packets());
        FilledRings rings = FilledRings.with(source, scale.packets())) {
      Progress.step("%,d flows".formatted(flows), windows);
      FlinkRates ours = ours(rings, scale, run -> FlinkRates.of(run, windows));
      Progress.step("keyed state", scale.beside());
      try (FlinkRun run =
          FlinkRun.startAsUsersDo(
              1, at -> KeyedHistograms.build(at, rings.path(), HISTOGRAM.interval()))) {
        return new Both(ours, FlinkRates.of(run, scale.beside()));
      }
    }
  }

  /** Telling takes most of its time, and comes in bursts: a lap has whole intervals in it. */
  private static FlinkRates resampled(BenchScale scale) throws Exception {
    try (FilledRings rings = FilledRings.with(Mix.RESAMPLED, scale.packets())) {
      Progress.step("resampled traffic");
      return ours(rings, scale, run -> FlinkRates.ofPackets(run, scale.packets(), LAP_LIMIT));
    }
  }

  private interface Measure {
    FlinkRates of(FlinkRun run) throws Exception;
  }

  private static FlinkRates ours(FilledRings rings, BenchScale scale, Measure measure)
      throws Exception {
    try (FlinkRun run = FlinkRun.startAsUsersDo(1, at -> build(at, rings.path()))) {
      Windows.awaitGrowth(CountedBlocks.PACKETS::sum);
      // Then all flows have been seen, and their memory was touched.
      CountedBlocks.await(scale.packets(), LAP_LIMIT);
      return measure.of(run);
    }
  }

  private static void build(StreamExecutionEnvironment environment, Path rings) {
    RulesText rules = SamplingBenchmark.textOf(HISTOGRAM);
    RuledBlocks ruled =
        RuledBlocks.of(
            CountedBlocks.byFlow(environment, rings), LiveRules.fixed(rules, _ -> {}), "Rules");
    Histograms.of(ruled, HistogramRoom.of(rules.read().rules()), ROOM)
        .each()
        .forEach(CountedResults::end);
  }
}
