// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.benchmarks.TopicEnds.Content;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class KafkaComparisonTest {
  private final List<BenchScale> measured = new ArrayList<>();

  /** One subtask is the better choice for single packets, two are for batches. */
  private KafkaMeasurement measure(KafkaLoad load, BenchScale scale) {
    measured.add(scale);
    boolean isBest = load.parallelism() == (load.messages() == KafkaLoad.Messages.SINGLES ? 1 : 2);
    return new KafkaMeasurement(new Windows(List.of(isBest ? 2.0 : 1.0)), new Content(1, 1, 1), 1);
  }

  private KafkaComparison compare(BenchScale scale) throws Exception {
    return KafkaComparison.of(this::measure, scale);
  }

  @Test
  void shouldChooseTheBestParallelismForEach() throws Exception {
    KafkaComparison comparison = compare(BenchScale.FULL);

    assertThat(comparison.batches().parallelism()).isEqualTo(2);
    assertThat(comparison.singles().parallelism()).isEqualTo(1);
    assertThat(comparison.atLeastOnce()).isPresent();
  }

  @Test
  void shouldMeasureTheFigureAndOneBaselineWhenQuick() throws Exception {
    assertThat(compare(BenchScale.QUICK).atLeastOnce()).isEmpty();
    assertThat(measured).containsExactly(BenchScale.QUICK, BenchScale.QUICK);
  }

  @Test
  void shouldAnnounceWhatItMeasures() throws Exception {
    for (BenchScale scale : List.of(BenchScale.FULL, BenchScale.QUICK, BenchScale.SMOKE)) {
      measured.clear();
      compare(scale);

      Duration length =
          measured.stream().map(BenchScale::length).reduce(Duration.ZERO, Duration::plus);
      assertThat(KafkaComparison.steps(scale)).isEqualTo(new Steps(measured.size(), length));
    }
  }
}
