// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import java.time.Duration;
import java.util.stream.Stream;

/**
 * The measurements that a benchmark takes one after another.
 *
 * @param count number of measurements
 * @param length time that all of them take, without what prepares them
 */
record Steps(int count, Duration length) {
  static final Steps NONE = new Steps(0, Duration.ZERO);

  /** One measurement for each scale. */
  static Steps of(BenchScale... scales) {
    return new Steps(
        scales.length,
        Stream.of(scales).map(BenchScale::length).reduce(Duration.ZERO, Duration::plus));
  }

  /** So many measurements whose time is unknown. */
  static Steps ofUnknownLength(int count) {
    return new Steps(count, Duration.ZERO);
  }

  Steps plus(Steps other) {
    return new Steps(count + other.count, length.plus(other.length));
  }

  Steps times(int factor) {
    return new Steps(count * factor, length.multipliedBy(factor));
  }
}
