// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Sums of costs held against what was measured of the whole and went into none of them: benchmarks
 * {@code platform} and {@code wire} of docs/performance.md.
 */
class MeasuredWholeTest {
  private static final CostTable COSTS = CostTable.read(Pages.ROOT);
  private static final double MOST_TIMES = 1.5;

  private static void requireNear(double planned, double measured) {
    assertThat(planned).isBetween(measured / MOST_TIMES, measured * MOST_TIMES);
  }

  private static double jobNs(double flows, int rules, Map<Function, Double> shares) {
    Traffic traffic = new Traffic(10e6, flows, shares, rules, 64, 0);
    return Sizing.of(RoundCosts.site(traffic), COSTS, 1).work().jobNs();
  }

  /** Packets that go on are not packed there. */
  private static double platformNs(double flows, Map<Function, Double> shares) {
    double packing =
        COSTS.of(Cost.PASS_PACKET) * (shares.get(Function.PASS) + shares.get(Function.SAMPLE) / 64);
    return jobNs(flows, 16, shares) - packing;
  }

  @Test
  void shouldBeNearToAllFunctionsAtOnce() {
    double backbone =
        platformNs(
            600e3,
            Map.of(
                Function.PASS, 0.439,
                Function.SAMPLE, 0.189,
                Function.AGGREGATE, 0.203,
                Function.HISTOGRAM, 0.086,
                Function.ANOMALY, 0.044,
                Function.USER, 0.016,
                Function.DROP, 0.023));
    requireNear(backbone, 1e9 / 10.3e6);
    double resampled =
        platformNs(
            650e3,
            Map.of(
                Function.PASS, 0.381,
                Function.SAMPLE, 0.268,
                Function.AGGREGATE, 0.158,
                Function.HISTOGRAM, 0.097,
                Function.ANOMALY, 0.032,
                Function.USER, 0.031,
                Function.DROP, 0.032));
    requireNear(resampled, 1e9 / 9.97e6);
  }

  @Test
  void shouldBeNearToTheWholeWayFromFramesToKafka() {
    double planned =
        COSTS.of(Cost.TAP_PARSE)
            + COSTS.of(Cost.TAP_SCATTER)
            + jobNs(1e6, 0, Map.of(Function.PASS, 1.0))
            + COSTS.of(Cost.BROKER_BYTE) * COSTS.of(Cost.KAFKA_16000);
    requireNear(planned, 104);
  }
}
