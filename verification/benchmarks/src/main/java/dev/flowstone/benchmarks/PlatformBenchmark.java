// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.RingBlocks;
import dev.flowstone.jobs.anomaly.alert.SynWindow;
import dev.flowstone.jobs.platform.PlatformJob;
import dev.flowstone.jobs.platform.PlatformOptions;
import dev.flowstone.jobs.platform.PlatformStreams;
import dev.flowstone.operators.FlowRecord;
import dev.flowstone.operators.histogram.HistogramResult;
import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.results.Result;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/**
 * Packets per second of which one core does what sixteen rules say, with every function among them:
 * the platform job up to its sinks, which count and throw away.
 */
final class PlatformBenchmark implements MixBenchmark {
  /** What {@link ToldPackets} calls packets that go on. */
  static final String PACKETS = "packets";

  private static final Duration LAP_LIMIT = Duration.ofSeconds(30);

  @Override
  public String name() {
    return "platform";
  }

  @Override
  public String description() {
    return "packets/s per core through all functions by 16 rules; baseline: per packet, RocksDB";
  }

  @Override
  public Steps steps(BenchScale scale) {
    return Steps.of(scale, scale.beside());
  }

  @Override
  public BenchResult run(Mix mix, BenchScale scale) throws Exception {
    RulesInForce rules = PlatformSite.rulesText().read();
    try (PlatformSite site = PlatformSite.create();
        FilledRings rings = FilledRings.with(mix, scale.packets())) {
      Progress.step("all functions", scale);
      FlinkRates ours;
      Map<String, Double> percents;
      try (FlinkRun run = FlinkRun.startAsUsersDo(1, at -> build(at, site, rings.path()))) {
        Windows.awaitGrowth(CountedBlocks.PACKETS::sum);
        // Then all flows have been seen, and their memory was touched.
        CountedBlocks.await(scale.packets(), LAP_LIMIT);
        // The stages may have told of none of them.
        RuleCounts.take();
        ours = FlinkRates.of(run, scale);
        RuleCounts.await(rules.size());
        percents = RuleCounts.percentByFunction(RuleCounts.take(), rules);
      }
      Progress.step("one element per packet", scale.beside());
      FlinkRates elements;
      try (FlinkRun run = FlinkRun.startAsUsersDo(1, at -> buildElements(at, rings.path()))) {
        elements = FlinkRates.of(run, scale.beside());
      }
      Map<String, Object> further = new LinkedHashMap<>();
      further.put("percent_of_packets", percents);
      further.put("rules", rules.size());
      further.put("packets_per_result", ours.packetsPerResult());
      further.put("by_the_clock", ours.byTheClock().median());
      further.put("baseline_by_the_clock", elements.byTheClock().median());
      further.put("clock", "CPU time of the process");
      return new BenchResult(
          name(),
          "packets/s",
          BenchResult.Better.MORE,
          ours.perCore(),
          elements.perCore(),
          "one Flink element per packet, same rules, keyed state and windows in RocksDB",
          further);
    }
  }

  private static void build(StreamExecutionEnvironment environment, PlatformSite site, Path rings) {
    PlatformOptions options = site.options(rings);
    LappingSource source = new LappingSource(PlatformJob.source(options));
    build(CountedBlocks.of(environment, source), options);
  }

  /** The job with other sinks, on blocks of one subtask. */
  static void build(DataStream<PacketBlock> blocks, PlatformOptions options) {
    RuleCounts.of(blocks);
    PlatformStreams streams = PlatformStreams.of(new RingBlocks(blocks, true), options);
    streams
        .packets()
        .filter(new ToldPackets<>(PACKETS, block -> block.packets().count()))
        .sinkTo(new DiscardingSink<>());
    streams.results().forEach(PlatformBenchmark::tell);
  }

  private static <R extends Result> void tell(String name, DataStream<R> results) {
    CountedResults.end(results.filter(new ToldPackets<>(name, PlatformBenchmark::packetsOf)));
  }

  private static long packetsOf(Result result) {
    return switch (result) {
      case FlowRecord flow -> flow.packets();
      case HistogramResult histogram -> histogram.count();
      case SynWindow window -> window.count();
      case FarAway.Count count -> count.packets();
      default -> 1;
    };
  }

  private static void buildElements(StreamExecutionEnvironment environment, Path rings) {
    PerRecordPlatform.build(CountedBlocks.of(environment, rings), PlatformSite.rulesText());
  }
}
