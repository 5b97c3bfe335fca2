// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockTypeInformation;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.operators.ruled.FileWatch;
import dev.flowstone.operators.ruled.FunctionKind;
import dev.flowstone.operators.ruled.LiveRules;
import dev.flowstone.operators.ruled.RuledBlocks;
import dev.flowstone.operators.ruled.RulesText;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.rules.classify.FirstMatch;
import dev.flowstone.rules.function.Pass;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/**
 * Packets per second of which one core finds the rule and deals them to functions, of about a
 * million flows, while the job watches its rules file: with few rules and with many, beside a job
 * that tries one rule after the other.
 */
final class ClassifyBenchmark implements Benchmark {
  private static final int FEW = 16;
  private static final int MANY = 1000;
  private static final String OF_MANY = "_" + MANY;

  @Override
  public String name() {
    return "classify";
  }

  @Override
  public String description() {
    return "packets/s per core whose rule is found, 16 and 1000 rules; baseline: one rule after"
        + " another";
  }

  @Override
  public boolean hasMixes() {
    return true;
  }

  @Override
  public Steps steps(BenchScale scale) {
    Steps few = with(FEW).steps(scale);
    return scale.isQuick() ? few : few.plus(with(MANY).steps(scale));
  }

  @Override
  public BenchResult run(BenchScale scale) throws Exception {
    BenchResult few = with(FEW).run(scale);
    return scale.isQuick() ? few : inOneLine(few, with(MANY).run(scale));
  }

  private OnMixes with(int rules) {
    return new OnMixes(new OfRules(name(), description(), rules));
  }

  /** Each of the mix that is worse for it. */
  static BenchResult inOneLine(BenchResult few, BenchResult many) {
    BenchResult both = few;
    for (Map.Entry<String, Object> each : many.ofThisMix().entrySet()) {
      both = both.with(each.getKey() + OF_MANY, each.getValue());
    }
    return both;
  }

  /** With so many rules. */
  private record OfRules(String name, String description, int rules) implements MixBenchmark {
    /** As many together have a million flows in the packets that rings hold. */
    private static final int LINKS = 16;

    private static final Duration RULES_LIMIT = Duration.ofSeconds(30);

    @Override
    public Steps steps(BenchScale scale) {
      return Steps.of(scale, scale.beside());
    }

    @Override
    public BenchResult run(Mix mix, BenchScale scale) throws Exception {
      try (PacketSource source = mix.open(scale.packets(), LINKS);
          FilledRings rings = FilledRings.with(source, scale.packets());
          ScratchFolder site = ScratchFolder.onDisk("site")) {
        RulesText text;
        long flows;
        try (RingRecords records = RingRecords.of(rings)) {
          text = RulesText.of(SiteRules.of(records, rules));
          flows = records.flows();
        }
        Path file = Files.writeString(site.path().resolve("rules.yaml"), text.text());
        Progress.step("%d rules, %,d flows".formatted(rules, flows), scale);
        FlinkRates ours;
        Map<String, Double> percents;
        try (FlinkRun run = FlinkRun.startAsUsersDo(1, at -> build(at, rings.path(), file))) {
          // The job was submitted with others: these come from the file that it watches.
          run.awaitStages("rulesVersion", 1, RULES_LIMIT);
          ToldPackets.take();
          ours = FlinkRates.of(run, scale);
          percents = percentByFunction(ToldPackets.take());
        }
        Progress.step("one rule after another", scale.beside());
        FlinkRates naive;
        try (FlinkRun run = FlinkRun.startAsUsersDo(1, at -> buildNaive(at, rings.path(), text))) {
          naive = FlinkRates.of(run, scale.beside());
        }
        Map<String, Object> further = ours.toKeys("");
        further.put("baseline_by_the_clock", naive.byTheClock().median());
        further.put("percent_of_packets", percents);
        further.put("packets", scale.packets());
        further.put("flows", flows);
        further.put("clock", "CPU time of the process");
        return new BenchResult(
            name,
            "packets/s",
            BenchResult.Better.MORE,
            ours.perCore(),
            naive.perCore(),
            "one rule tried after another, in a job from the same rings, packets counted by rule",
            further);
      }
    }

    private static void build(StreamExecutionEnvironment environment, Path rings, Path file) {
      LiveRules rules =
          SamplingBenchmark.everyPacket(Pass.unchanged()).watching(FileWatch.of(file));
      RuledBlocks ruled = RuledBlocks.of(CountedBlocks.byFlow(environment, rings), rules, "Rules");
      for (FunctionKind kind : FunctionKind.values()) {
        String function = kind.name().toLowerCase(Locale.ROOT);
        ruled
            .of(kind)
            .filter(new ToldPackets<>(function, block -> block.packets().count()))
            .sinkTo(new DiscardingSink<>());
      }
    }

    private static void buildNaive(
        StreamExecutionEnvironment environment, Path rings, RulesText rules) {
      CountedBlocks.of(environment, rings)
          .map(new OneAfterAnother(rules))
          .returns(PacketBlockTypeInformation.INSTANCE)
          .sinkTo(new DiscardingSink<>());
    }

    private static Map<String, Double> percentByFunction(Map<String, Long> packets) {
      double all = packets.values().stream().mapToLong(Long::longValue).sum();
      Map<String, Double> percents = new TreeMap<>();
      packets.forEach((function, count) -> percents.put(function, 100 * count / all));
      percents.values().removeIf(percent -> percent == 0);
      return percents;
    }
  }

  /** Counts the packets of each rule, which a loop over the rules finds. */
  private static final class OneAfterAnother extends RichMapFunction<PacketBlock, PacketBlock> {
    private static final long serialVersionUID = 1L;

    private final RulesText text;
    private transient FirstMatch rules;
    private transient long[] packetsOfRule;

    OneAfterAnother(RulesText text) {
      this.text = text;
    }

    @Override
    public void open(OpenContext context) {
      rules = FirstMatch.of(text.read().rules());
      packetsOfRule = new long[text.read().size()];
    }

    @Override
    public PacketBlock map(PacketBlock block) {
      for (int i = 0; i < block.count(); i++) {
        packetsOfRule[rules.classify(block.segment(), block.offsetOf(i))]++;
      }
      return block;
    }
  }
}
