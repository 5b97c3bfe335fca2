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

/**
 * Packets per second of which one core finds the rule, from records that no cache holds, with few
 * rules and with many; beside a loop that tries one rule after the other.
 */
final class ClassifyBenchmark implements MixBenchmark {
  private static final int FEW = 16;
  private static final int MANY = 1000;

  /** As many as a block of the source has. */
  private static final int BLOCK = 1024;

  /** The loop is asked for a part of all packets: with many rules a pass over all takes minutes. */
  private static final long LOOPED_PACKETS = 1 << 18;

  private static final int FLOW_SLOTS = 1 << 26;

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
  public BenchResult run(Mix mix, BenchScale scale) {
    try (ParsedRecords records = ParsedRecords.of(mix, scale.packets())) {
      Progress.say("%,d packets, %d rules".formatted(records.count(), FEW));
      RuleSet few = SiteRules.of(records, FEW);
      Windows figure = classified(records, few, scale);
      Windows looped = looped(records, few, scale.brief());
      Progress.say("%d rules".formatted(MANY));
      RuleSet many = SiteRules.of(records, MANY);
      Windows figureMany = classified(records, many, scale);
      Windows loopedMany = looped(records, many, scale.brief());
      Map<String, Object> further = new LinkedHashMap<>();
      further.put("figure_1000", figureMany.median());
      further.put("range_1000", figureMany.range());
      further.put("baseline_1000", loopedMany.median());
      further.put("baseline_range_1000", loopedMany.range());
      further.put("ratio_1000", figureMany.median() / loopedMany.median());
      further.put("default_percent", defaultPercent(records, few));
      further.put("default_percent_1000", defaultPercent(records, many));
      further.put("clock", "CPU time of the one thread");
      further.put("packets", records.count());
      further.put("flows", flows(records));
      return new BenchResult(
          name(),
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

  private static Windows looped(ParsedRecords records, RuleSet rules, BenchScale scale) {
    FirstMatch loop = FirstMatch.of(rules);
    long packets = Math.min(LOOPED_PACKETS, records.count());
    return Windows.ratesOfPassesPerCore(
        packets,
        () -> {
          long sum = 0;
          for (long packet = 0; packet < packets; packet++) {
            sum += loop.classify(records.records(), offsetOf(packet));
          }
          Sink.take(sum);
        },
        scale);
  }

  private static double defaultPercent(ParsedRecords records, RuleSet rules) {
    Classifier classifier = Classifier.of(rules);
    long packets = Math.min(LOOPED_PACKETS, records.count());
    long defaults = 0;
    for (long packet = 0; packet < packets; packet++) {
      int rule = classifier.classify(records.records(), offsetOf(packet));
      defaults += rule == rules.size() - 1 ? 1 : 0;
    }
    return 100.0 * defaults / packets;
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
