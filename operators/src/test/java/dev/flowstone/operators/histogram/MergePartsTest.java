// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.FlowTuple;
import dev.flowstone.operators.SentPacket;
import dev.flowstone.results.RuleTag;
import dev.flowstone.rules.function.Histogram.Measure;
import dev.flowstone.rules.function.Histogram.Per;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;

/** Parts of flows that had more packets than their counts have room for. */
@SuppressWarnings("try")
class MergePartsTest {
  private static final long END_NS = 2_000_000_000L;
  private static final FlowTuple FLOW = SentPacket.flow(1);

  private static HistogramPart part(FlowTuple flow, long packets, long first, long... counts) {
    return new HistogramPart(
        false,
        new RuleTag("rule", "", -1),
        new HistogramSubject(1, Measure.INTER_ARRIVAL, Per.FLOW, flow, "", 100, 1_000_000, 1),
        END_NS - 1_000_000_000,
        END_NS,
        new PacketCounts(packets, 0, first, 0, 0, 0),
        HistogramSums.NONE,
        CountsCode.of(counts));
  }

  private static List<HistogramPart> merged(HistogramPart... parts) throws Exception {
    try (KeyedOneInputStreamOperatorTestHarness<String, HistogramPart, HistogramPart> harness =
        new KeyedOneInputStreamOperatorTestHarness<>(
            new KeyedProcessOperator<>(new MergeParts()), HistogramPart::key, Types.STRING)) {
      harness.open();
      for (HistogramPart part : parts) {
        harness.processElement(part, 0);
      }
      harness.processWatermark(END_NS / 1_000_000 - 2);
      assertThat(harness.extractOutputValues()).isEmpty();
      harness.processWatermark(END_NS / 1_000_000 - 1);
      return harness.extractOutputValues();
    }
  }

  @Test
  void shouldAddUpThePartsOfEachFlow() throws Exception {
    FlowTuple other = SentPacket.flow(2);
    List<HistogramPart> merged =
        merged(
            part(FLOW, 65_536, 1, 0, 65_535),
            part(other, 3, 0, 3),
            part(FLOW, 2, 0, 0, 1, 1),
            part(other, 4, 0, 4));

    assertThat(merged)
        .extracting(part -> part.subject().flow() + " " + part.packets().packets())
        .containsExactlyInAnyOrder(FLOW + " 65538", other + " 7");
    long[] counts = new long[10];
    merged.forEach(part -> CountsCode.addTo(counts, part.counts()));
    assertThat(counts).startsWith(7, 65_536, 1, 0);
  }

  /** One source has ended, the other one was idle and resumes. */
  @Test
  void emitsPartsThatArriveAfterTheLastWatermark() throws Exception {
    try (KeyedOneInputStreamOperatorTestHarness<String, HistogramPart, HistogramPart> harness =
        new KeyedOneInputStreamOperatorTestHarness<>(
            new KeyedProcessOperator<>(new MergeParts()), HistogramPart::key, Types.STRING)) {
      harness.open();
      harness.processWatermark(Watermark.MAX_WATERMARK);
      harness.processElement(part(FLOW, 3, 0, 3), 0);
      assertThat(harness.extractOutputValues()).hasSize(1);
    }
  }

  @Test
  void shouldSayNothingOfAFlowThatOnlyBegan() throws Exception {
    assertThat(merged(part(FLOW, 1, 1), part(FLOW, 2, 2))).isEmpty();
  }
}
