// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

/**
 * Gaps between packets in 2^-20 ns, drawn from a table of the distribution's quantiles whose mean
 * is the asked gap exactly, so that a long run has the asked rate.
 */
final class ArrivalGaps {
  static final int FRACTION_BITS = 20;
  private static final int ENTRIES = 1024;
  private static final double SECOND_NS = 1e9;

  private final long[] gaps = new long[ENTRIES];

  ArrivalGaps(long packetsPerSecond, GapShape shape) {
    double meanGap = SECOND_NS / packetsPerSecond * (1L << FRACTION_BITS);
    double sum = 0;
    for (int i = 0; i < ENTRIES; i++) {
      sum += quantile(shape, (i + 0.5) / ENTRIES);
    }
    for (int i = 0; i < ENTRIES; i++) {
      gaps[i] = Math.round(meanGap * ENTRIES * quantile(shape, (i + 0.5) / ENTRIES) / sum);
    }
  }

  private static double quantile(GapShape shape, double probability) {
    return switch (shape) {
      case EXPONENTIAL -> -StrictMath.log(1 - probability);
      case CONSTANT -> 1;
    };
  }

  /** The gap that the ten lowest of some random bits choose. */
  long choose(long random) {
    return gaps[(int) random & (ENTRIES - 1)];
  }
}
