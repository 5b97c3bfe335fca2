// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.operators.RuledHarness;
import dev.flowstone.operators.SentPacket;
import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.operators.ruled.RulesText;
import dev.flowstone.rules.function.Histogram;
import dev.flowstone.rules.function.Histogram.Measure;
import dev.flowstone.rules.function.Histogram.Per;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Prints what histograms cost for each packet, and each report of a flow. Run by hand. */
@SuppressWarnings("try")
final class HistogramCost {
  private static final int PACKETS = 1 << 20;
  private static final int BLOCK = 1024;
  private static final int ROUNDS = 8;
  private static final long GAP_NS = 100;
  private static final long START_NS = 1_700_000_000_000_000_000L;

  private HistogramCost() {}

  public static void main(String[] arguments) throws Exception {
    Per per = Per.valueOf(arguments[0]);
    int flows = Integer.parseInt(arguments[1]);
    Histogram usual = Histogram.usual(per);
    RulesText text =
        HistogramRules.of(
            HistogramRules.histogram(
                per,
                Set.of(Measure.INTER_ARRIVAL),
                usual.lowestNs(),
                usual.highestNs(),
                usual.digits(),
                Duration.ofHours(1).toNanos()));
    RulesInForce rules = text.read();
    try (RuledHarness<HistogramPart> harness =
        RuledHarness.of(new FlowHistograms(HistogramRules.room(text)), 2 * flows)) {
      harness.open();
      Random random = new Random(1);
      for (int round = 0; round < ROUNDS; round++) {
        List<PacketBlock> blocks =
            blocks(random, flows, START_NS + (long) round * PACKETS * GAP_NS);
        long beginNs = cpuNs();
        for (PacketBlock block : blocks) {
          harness.give(block, rules, 0);
        }
        System.out.printf(
            "%s, %,d flows: %.1f ns a packet%n",
            per, flows, (double) (cpuNs() - beginNs) / PACKETS);
      }
      report(harness);
    }
  }

  private static void report(RuledHarness<HistogramPart> harness) throws Exception {
    long beginNs = cpuNs();
    harness.processWatermark(Long.MAX_VALUE);
    List<HistogramPart> parts = harness.results();
    long toldNs = cpuNs() - beginNs;
    HistogramReport report = new HistogramReport();
    report.open(null);
    beginNs = cpuNs();
    long bytes = 0;
    for (HistogramPart part : parts) {
      bytes += report.map(part).histogram().length();
    }
    System.out.printf(
        "%,d parts: %.2f us each to tell, %.2f us to report, %.0f characters of base64%n",
        parts.size(),
        toldNs / 1e3 / parts.size(),
        (cpuNs() - beginNs) / 1e3 / parts.size(),
        (double) bytes / parts.size());
  }

  private static List<PacketBlock> blocks(Random random, int flows, long fromNs) {
    List<PacketBlock> blocks = new ArrayList<>();
    for (int first = 0; first < PACKETS; first += BLOCK) {
      List<SentPacket> packets = new ArrayList<>();
      for (int i = 0; i < BLOCK; i++) {
        packets.add(
            new SentPacket(
                SentPacket.flow(random.nextInt(flows)),
                fromNs + (long) (first + i) * GAP_NS,
                100,
                0));
      }
      blocks.add(SentPacket.block(packets));
    }
    return blocks;
  }

  private static long cpuNs() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }
}
