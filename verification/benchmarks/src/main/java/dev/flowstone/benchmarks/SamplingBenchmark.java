// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.blocks.WeightedBlock;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.operators.packets.AnonymisationKeys;
import dev.flowstone.operators.packets.ChosenPackets;
import dev.flowstone.operators.ruled.LiveRules;
import dev.flowstone.operators.ruled.RuledBlocks;
import dev.flowstone.operators.ruled.RulesText;
import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.function.Sample;
import dev.flowstone.rules.function.ServiceFunction;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.api.common.functions.FilterFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/**
 * Packets per second of which one core chooses one in {@value #ONE_IN}, counted, and reads what was
 * chosen. Nobody looks at the others: of blocks they are a number, so this is faster than memory.
 */
final class SamplingBenchmark implements MixBenchmark {
  private static final int ONE_IN = 64;

  /** More than this much away from one in so many, and something else was measured. */
  private static final double TOLERANCE = 0.05;

  @Override
  public String name() {
    return "sampling";
  }

  @Override
  public String description() {
    return "packets/s per core sampled 1:64 behind filled rings; baseline: one Flink element per packet";
  }

  @Override
  public Steps steps(BenchScale scale) {
    return Steps.of(scale, scale);
  }

  @Override
  public BenchResult run(Mix mix, BenchScale scale) throws Exception {
    try (FilledRings rings = FilledRings.with(mix, scale.packets())) {
      Progress.step("blocks", scale);
      FlinkRates blocks;
      long chosen = ThreeFields.PACKETS.sum();
      long packets = CountedBlocks.PACKETS.sum();
      try (FlinkRun run = FlinkRun.startAsUsersDo(1, at -> build(at, rings.path()))) {
        blocks = FlinkRates.of(run, scale);
      }
      double oneIn =
          (double) (CountedBlocks.PACKETS.sum() - packets) / (ThreeFields.PACKETS.sum() - chosen);
      requireChosen(oneIn);
      Progress.step("one element per packet", scale);
      FlinkRates elements;
      try (FlinkRun run = FlinkRun.start(1, at -> buildElements(at, rings.path()))) {
        elements = FlinkRates.of(run, scale);
      }
      Map<String, Object> further = blocks.toKeys("");
      further.put("baseline_by_the_clock", elements.byTheClock().median());
      further.put("chosen_one_in", oneIn);
      further.put("clock", "CPU time of the process");
      return new BenchResult(
          name(),
          "packets/s",
          BenchResult.Better.MORE,
          blocks.perCore(),
          elements.perCore(),
          "one Flink element per packet, object reuse on, counted, then read",
          further);
    }
  }

  private static void requireChosen(double oneIn) {
    if (Math.abs(oneIn / ONE_IN - 1) > TOLERANCE) {
      throw new IllegalStateException("one in " + oneIn + " was chosen, not one in " + ONE_IN);
    }
  }

  private static void build(StreamExecutionEnvironment environment, Path rings) {
    RuledBlocks ruled =
        RuledBlocks.of(
            CountedBlocks.byFlow(environment, rings),
            everyPacket(Sample.everyNth(ONE_IN)),
            "Rules");
    ChosenPackets.of(ruled, AnonymisationKeys.NONE, "Chosen")
        .map(WeightedBlock::packets)
        .map(new ThreeFields())
        .returns(Types.LONG)
        .sinkTo(new DiscardingSink<>());
  }

  /** A rule set that does one thing with every packet. */
  static LiveRules everyPacket(ServiceFunction function) {
    return LiveRules.fixed(textOf(function), _ -> {});
  }

  static RulesText textOf(ServiceFunction function) {
    return RulesText.of(
        RuleSet.of(List.of(), RuleSet.defaultRule(function, Optional.empty(), Optional.empty())));
  }

  private static void buildElements(StreamExecutionEnvironment environment, Path rings) {
    PacketView.each(CountedBlocks.of(environment, rings))
        .filter(new OneIn())
        .map(
            packet ->
                PacketRecord.timeLow(packet.segment(), packet.offset())
                    + (long) PacketRecord.flowHash(packet.segment(), packet.offset())
                    + PacketRecord.payloadLength(packet.segment(), packet.offset()))
        .returns(Types.LONG)
        .sinkTo(new DiscardingSink<>());
  }

  private static final class OneIn implements FilterFunction<PacketView> {
    private static final long serialVersionUID = 1L;

    private int count;

    @Override
    public boolean filter(PacketView packet) {
      return count++ % ONE_IN == 0;
    }
  }
}
