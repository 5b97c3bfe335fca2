// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.stages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.stages.StageMetrics;
import java.util.List;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;

/** On Flink's harness, whose clock stands still until it is told a time. */
@SuppressWarnings("try") // Its close throws whatever the operator's does.
class StageReportOperatorTest {
  private static final long INTERVAL_MS = 10_000;
  private static final long NS_PER_MS = 1_000_000;

  /** Harnesses of one process share their job: its time goes on from test to test. */
  private static long latestMs;

  private final long beginMs = latestMs += 1_000_000;
  private final String name = "packetsOf" + beginMs;

  private static OneInputStreamOperatorTestHarness<PacketBlock, StageReport> harness(
      StageReportOperator operator, long nowMs) throws Exception {
    OneInputStreamOperatorTestHarness<PacketBlock, StageReport> harness =
        new OneInputStreamOperatorTestHarness<>(operator);
    harness.setProcessingTime(nowMs);
    harness.open();
    return harness;
  }

  /** Of this test's own counter: harnesses of other tests look like stages of the same job. */
  private List<StageReport> told(
      OneInputStreamOperatorTestHarness<PacketBlock, StageReport> harness) {
    List<StageReport> reports =
        harness.extractOutputValues().stream()
            .filter(report -> report.counts().values().containsKey(name))
            .toList();
    harness.getOutput().clear();
    return reports;
  }

  @Test
  void shouldTellAtEachMultipleOfTheIntervalAndOnceMoreInTheEnd() throws Exception {
    StageReportOperator operator = new StageReportOperator(INTERVAL_MS);
    try (var harness = harness(operator, beginMs + 123_456)) {
      Counter packets = StageMetrics.of(operator.getMetricGroup()).counter(name);
      packets.inc(5);
      harness.setProcessingTime(beginMs + 129_999);
      assertThat(told(harness)).isEmpty();

      harness.setProcessingTime(beginMs + 130_004);
      assertThat(told(harness))
          .singleElement()
          .satisfies(
              report -> {
                assertThat(report.timeNs()).isEqualTo((beginMs + 130_000) * NS_PER_MS);
                assertThat(report.counts().values()).containsEntry(name, 5L);
                assertThat(report.isLast()).isFalse();
              });

      packets.inc();
      harness.setProcessingTime(beginMs + 140_000);
      assertThat(told(harness))
          .singleElement()
          .satisfies(
              report -> assertThat(report.timeNs()).isEqualTo((beginMs + 140_000) * NS_PER_MS));

      packets.inc();
      harness.setProcessingTime(beginMs + 141_000);
      harness.endInput();
      operator.finish();
      assertThat(told(harness))
          .singleElement()
          .satisfies(
              report -> {
                assertThat(report.timeNs()).isEqualTo((beginMs + 141_000) * NS_PER_MS);
                assertThat(report.counts().values()).containsEntry(name, 7L);
                assertThat(report.isLast()).isTrue();
              });
    }
  }

  /** Two subtasks in one process, and what both see is told by one. */
  @Test
  void shouldTellNothingThatAnotherSubtaskHasTold() throws Exception {
    StageReportOperator one = new StageReportOperator(INTERVAL_MS);
    StageReportOperator other = new StageReportOperator(INTERVAL_MS);
    try (var first = harness(one, beginMs + 200_000);
        var second = harness(other, beginMs + 200_000)) {
      var _ = StageMetrics.of(one.getMetricGroup()).counter(name);
      first.setProcessingTime(beginMs + 210_000);
      second.setProcessingTime(beginMs + 210_001);

      assertThat(told(first)).isNotEmpty();
      assertThat(told(second)).isEmpty();
    }
  }
}
