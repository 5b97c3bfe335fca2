// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.benchmarks.BenchResult.Better;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BenchResultTest {
  private static final Windows RUNS = new Windows(List.of(9.0, 10.0, 12.0));

  private static BenchResult result(Better better) {
    return new BenchResult("x", "ns", better, RUNS, 5, "other", Map.of("extra", 1.0 / 3));
  }

  @Test
  void shouldTakeTheMedianAndItsSpread() {
    assertThat(RUNS.median()).isEqualTo(10);
    assertThat(RUNS.spread()).isEqualTo(0.3);
    assertThat(new Windows(List.of(1.0, 2.0, 4.0, 9.0)).median()).isEqualTo(3);
  }

  @Test
  void shouldSayHowManyTimesBetterInEitherDirection() {
    assertThat(result(Better.MORE).ratio()).isEqualTo(2);
    assertThat(result(Better.LESS).ratio()).isEqualTo(0.5);
  }

  @Test
  void shouldRoundToFourDigits() {
    assertThat(result(Better.MORE).toJson()).contains("\"extra\":0.3333");
  }
}
