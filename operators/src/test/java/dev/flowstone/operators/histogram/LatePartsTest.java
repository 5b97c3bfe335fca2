// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.flowstone.operators.SentPacket;
import dev.flowstone.results.RuleTag;
import dev.flowstone.rules.function.Histogram.Measure;
import dev.flowstone.rules.function.Histogram.Per;
import java.util.List;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;

/** Late parts come from a subtask whose rings were idle. */
@SuppressWarnings("try")
class LatePartsTest {
  private static final long END_NS = 2_000_000_000L;
  private static final long LENGTH_NS = 1_000_000_000L;
  private static final long MS_NS = 1_000_000L;

  private static HistogramPart part(Per per, long endNs, long packets) {
    return new HistogramPart(
        false,
        new RuleTag("rule", "", -1),
        new HistogramSubject(
            1,
            Measure.PACKET_SIZE,
            per,
            per == Per.FLOW ? SentPacket.flow(1) : null,
            "",
            1,
            10_000,
            1),
        endNs - LENGTH_NS,
        endNs,
        new PacketCounts(packets, 0, 0, 0, 0, 0),
        HistogramSums.NONE,
        CountsCode.of(new long[] {packets}));
  }

  private static OneInputStreamOperatorTestHarness<HistogramPart, HistogramPart> harness()
      throws Exception {
    return new OneInputStreamOperatorTestHarness<>(new LateParts());
  }

  private static List<Tuple> moved(
      OneInputStreamOperatorTestHarness<HistogramPart, HistogramPart> harness) {
    return harness.extractOutputValues().stream()
        .map(
            part ->
                tuple(
                    part.beginNs(), part.endNs(), part.packets().packets(), part.packets().late()))
        .toList();
  }

  @Test
  void movesLatePartsToTheFirstOpenInterval() throws Exception {
    try (var harness = harness()) {
      harness.open();
      harness.processElement(part(Per.RULE, END_NS, 100), 0);
      harness.processWatermark(END_NS / MS_NS - 1);
      harness.processElement(part(Per.RULE, END_NS, 10), 0);
      harness.processElement(part(Per.RULE, END_NS + LENGTH_NS, 7), 0);
      harness.processWatermark((END_NS + 3 * LENGTH_NS) / MS_NS - 2);
      harness.processElement(part(Per.RULE, END_NS, 3), 0);
      harness.processElement(part(Per.RULE, END_NS + LENGTH_NS, 2), 0);

      assertThat(moved(harness))
          .containsExactly(
              tuple(END_NS - LENGTH_NS, END_NS, 100L, 0L),
              tuple(END_NS, END_NS + LENGTH_NS, 10L, 10L),
              tuple(END_NS, END_NS + LENGTH_NS, 7L, 0L),
              tuple(END_NS + 2 * LENGTH_NS, END_NS + 3 * LENGTH_NS, 3L, 3L),
              tuple(END_NS + 2 * LENGTH_NS, END_NS + 3 * LENGTH_NS, 2L, 2L));
    }
  }

  @Test
  void leavesPartsOfFlowsInTheirInterval() throws Exception {
    try (var harness = harness()) {
      harness.open();
      harness.processWatermark(END_NS / MS_NS);
      harness.processElement(part(Per.FLOW, END_NS, 10), 0);
      assertThat(moved(harness)).containsExactly(tuple(END_NS - LENGTH_NS, END_NS, 10L, 0L));
    }
  }

  @Test
  void recognizesLatePartsAfterARestart() throws Exception {
    OperatorSubtaskState state;
    try (var harness = harness()) {
      harness.open();
      harness.processWatermark(END_NS / MS_NS - 1);
      state = harness.snapshot(1, 1);
    }
    try (var harness = harness()) {
      harness.initializeState(state);
      harness.open();
      harness.processElement(part(Per.RULE, END_NS, 10), 0);
      assertThat(moved(harness)).containsExactly(tuple(END_NS, END_NS + LENGTH_NS, 10L, 10L));
    }
  }
}
