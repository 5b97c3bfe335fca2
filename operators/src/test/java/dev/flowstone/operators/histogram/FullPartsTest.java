// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import static dev.flowstone.operators.histogram.HistogramRules.MS;
import static dev.flowstone.operators.histogram.HistogramRules.room;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.operators.RuledHarness;
import dev.flowstone.operators.SentPacket;
import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.operators.ruled.RulesText;
import dev.flowstone.rules.function.Histogram.Measure;
import dev.flowstone.rules.function.Histogram.Per;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What leaves before its interval is over, since there is no room for more. */
@SuppressWarnings("try")
class FullPartsTest {
  private static final long START_NS = 1_700_000_000_000_000_000L;
  private static final long INTERVAL_NS = 100 * MS;
  private static final Set<Measure> GAPS = Set.of(Measure.INTER_ARRIVAL);
  private static final Set<Measure> BOTH = Set.of(Measure.values());

  private static SentPacket packet(int flow, long timeMs) {
    return new SentPacket(SentPacket.flow(flow), START_NS + timeMs * MS, 100, 0);
  }

  private static long beginMs(HistogramPart part) {
    return (part.beginNs() - START_NS) / MS;
  }

  @Test
  void shouldTellAFlowInPartsWhereItHasManyPackets() throws Exception {
    RulesText text =
        HistogramRules.of(
            HistogramRules.histogram(Per.FLOW, GAPS, 100, 10_000 * MS, 1, INTERVAL_NS));
    try (RuledHarness<HistogramPart> harness =
        RuledHarness.of(new FlowHistograms(room(text), 2), 10)) {
      harness.open();
      harness.give(
          List.of(packet(0, 10), packet(0, 20), packet(0, 30), packet(0, 110), packet(0, 220)),
          text.read(),
          0);
      harness.processWatermark(Long.MAX_VALUE);

      List<HistogramPart> parts = harness.results();
      assertThat(parts)
          .extracting(part -> beginMs(part) + " " + part.packets().packets() + part.isWhole())
          .containsExactly("0 2false", "0 1false", "100 1true", "200 1true");
      assertThat(parts.get(0).key()).isEqualTo(parts.get(1).key());
      assertThat(parts.get(0).plus(parts.get(1)).sums().sumLow()).isEqualTo(20 * MS);
    }
  }

  @Test
  void shouldCountMorePacketsThanACountHasRoomFor() throws Exception {
    for (Per per : new Per[] {Per.FLOW, Per.RULE}) {
      RulesText text =
          HistogramRules.of(
              HistogramRules.histogram(per, BOTH, 100, 10 * MS, 1, 10_000 * INTERVAL_NS));
      int count = 200_000;
      try (RuledHarness<HistogramPart> harness =
          RuledHarness.of(new FlowHistograms(room(text)), 10)) {
        harness.open();
        RulesInForce rules = text.read();
        for (int i = 0; i < count; i += 1_000) {
          int first = i;
          harness.give(
              IntStream.range(first, first + 1_000).mapToObj(each -> packet(0, each)).toList(),
              rules,
              0);
        }
        harness.processWatermark(Long.MAX_VALUE);
        List<HistogramPart> parts = harness.results();
        for (Measure measure : Measure.values()) {
          HistogramPart sum =
              parts.stream()
                  .filter(part -> part.subject().measure() == measure)
                  .reduce(HistogramPart::plus)
                  .orElseThrow();
          long[] counts = new long[sum.subject().layout().length];
          CountsCode.addTo(counts, sum.counts());
          int values = measure == Measure.PACKET_SIZE ? count : count - 1;
          assertThat(counts).contains(values);
          assertThat(Arrays.stream(counts).sum()).isEqualTo(values);
          assertThat(sum.packets().packets()).isEqualTo(count);
        }
      }
    }
  }

  /** 40,000 gaps of a week are more than 2^64 ns. */
  @Test
  void shouldTellAPartBeforeItsSumIsTooLarge() throws Exception {
    long weekMs = Duration.ofDays(7).toMillis();
    RulesText text =
        HistogramRules.of(
            HistogramRules.histogram(Per.RULE, GAPS, 100, weekMs * MS, 1, INTERVAL_NS));
    int flows = 40_000;
    try (RuledHarness<HistogramPart> harness =
        RuledHarness.of(new FlowHistograms(room(text)), flows)) {
      harness.open();
      RulesInForce rules = text.read();
      for (long timeMs : new long[] {0, weekMs}) {
        harness.give(
            IntStream.range(0, flows).mapToObj(flow -> packet(flow, timeMs)).toList(), rules, 0);
      }
      harness.processWatermark(Long.MAX_VALUE);
      HistogramPart sum =
          harness.results().stream()
              .filter(part -> beginMs(part) > 0)
              .reduce(HistogramPart::plus)
              .orElseThrow();
      assertThat(sum.sums().mean(flows)).isEqualTo((double) weekMs * MS);
    }
  }
}
