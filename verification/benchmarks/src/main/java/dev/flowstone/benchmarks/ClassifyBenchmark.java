// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.classify.Classifier;
import dev.flowstone.rules.classify.FirstMatch;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Packets per second of which one core finds the rule, from records that no cache holds, with few
 * rules and with many; beside a loop that tries one rule after the other.
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
  public BenchResult run(BenchScale scale) throws Exception {
    BenchResult few = new OnBothMixes(new OfRules(name(), description(), FEW)).run(scale);
    BenchResult many = new OnBothMixes(new OfRules(name(), description(), MANY)).run(scale);
    return inOneLine(few, many);
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
    /** As many as a block of the source has. */
    private static final int BLOCK = 1024;

    private static final int FLOW_SLOTS = 1 << 26;

    @Override
    public BenchResult run(Mix mix, BenchScale scale) {
      try (ParsedRecords records = ParsedRecords.of(mix, scale.packets())) {
        Progress.say("%,d packets, %d rules".formatted(records.count(), rules));
        RuleSet site = SiteRules.of(records, rules);
        Windows figure = classified(records, site, scale);
        Windows looped = looped(records, site, scale.brief());
        Map<String, Object> further = new LinkedHashMap<>();
        further.put("default_percent", defaultPercent(records, site));
        further.put("clock", "CPU time of the one thread");
        further.put("packets", records.count());
        further.put("flows", flows(records));
        return new BenchResult(
            name,
            "packets/s",
            BenchResult.Better.MORE,
            figure,
            looped,
            "one rule tried after another, same records, same thread",
            further);
      }
    }

    private static Windows classified(ParsedRecords records, RuleSet rules, BenchScale scale) {
      Classifier classifier = Classifier.of(rules);
      short[] found = new short[BLOCK];
      return Windows.ratesOfPassesPerCore(
          records.count(),
          () -> {
            long sum = 0;
            for (long first = 0; first < records.count(); first += BLOCK) {
              int count = (int) Math.min(BLOCK, records.count() - first);
              classifier.classify(records.records(), offsetOf(first), count, found);
              sum += found[0];
            }
            Sink.take(sum);
          },
          scale);
    }

    /**
     * Goes on where the pass before ended, through all records in laps: this way no cache helps the
     * loop either, and with many rules a pass still takes no minutes.
     */
    private static Windows looped(ParsedRecords records, RuleSet rules, BenchScale scale) {
      FirstMatch loop = FirstMatch.of(rules);
      long blocks = records.count() / BLOCK;
      AtomicLong next = new AtomicLong();
      return Windows.ratesOfPassesPerCore(
          BLOCK,
          () -> {
            long sum = 0;
            long first = next.getAndIncrement() % blocks * BLOCK;
            for (long packet = first; packet < first + BLOCK; packet++) {
              sum += loop.classify(records.records(), offsetOf(packet));
            }
            Sink.take(sum);
          },
          scale);
    }

    private static double defaultPercent(ParsedRecords records, RuleSet rules) {
      Classifier classifier = Classifier.of(rules);
      long defaults = 0;
      for (long packet = 0; packet < records.count(); packet++) {
        int rule = classifier.classify(records.records(), offsetOf(packet));
        defaults += rule == rules.size() - 1 ? 1 : 0;
      }
      return 100.0 * defaults / records.count();
    }

    /** About how many, by how many of many slots no flow hash falls into. */
    private static long flows(ParsedRecords records) {
      BitSet taken = new BitSet(FLOW_SLOTS);
      for (long packet = 0; packet < records.count(); packet++) {
        taken.set(PacketRecord.flowHash(records.records(), offsetOf(packet)) & (FLOW_SLOTS - 1));
      }
      double free = FLOW_SLOTS - (double) taken.cardinality();
      return Math.round(FLOW_SLOTS * Math.log(FLOW_SLOTS / free));
    }

    private static long offsetOf(long packet) {
      return packet * PacketRecordLayout.SIZE_BYTES;
    }
  }
}
