// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The least rate of a growing count in any tenth of a second that it was waited for: how long a
 * block of packets has to wait, whatever the mean says. One thread.
 */
final class LeastSample {
  private static final Duration LENGTH = Duration.ofMillis(100);

  private final LongSupplier count;
  private double least = Double.POSITIVE_INFINITY;
  private int zeros;

  LeastSample(LongSupplier count) {
    this.count = count;
  }

  /** Takes so many samples, one after the other. */
  void await(Duration length) {
    for (long samples = length.dividedBy(LENGTH); samples > 0; samples--) {
      long startCount = count.getAsLong();
      long startNs = System.nanoTime();
      Windows.await(LENGTH);
      // Taken late, a sample is longer, and its rate is still that of its time.
      add((count.getAsLong() - startCount) * 1e9 / (System.nanoTime() - startNs));
    }
  }

  private void add(double rate) {
    least = Math.min(least, rate);
    zeros += rate == 0 ? 1 : 0;
  }

  double perSecond() {
    return least;
  }

  /** In which nothing came at all. */
  int zeros() {
    return zeros;
  }
}
