// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import java.time.Duration;

/**
 * How much is measured.
 *
 * @param packets distinct packets to prepare
 * @param warmUp before the first window
 * @param window length of each
 * @param windows how many
 */
record BenchScale(long packets, Duration warmUp, Duration window, int windows) {
  /** 2^24 records are 1 GiB: no cache holds them. */
  static final BenchScale FULL =
      new BenchScale((1L << 24) + (1L << 18), Duration.ofSeconds(10), Duration.ofSeconds(5), 5);

  /** For tests: does it still work, not how fast is it. */
  static final BenchScale SMOKE =
      new BenchScale(20_000, Duration.ofMillis(50), Duration.ofMillis(200), 2);

  BenchScale withWindows(Duration length, int count) {
    return new BenchScale(packets, warmUp, length, count);
  }

  BenchScale withWarmUp(Duration length) {
    return new BenchScale(packets, length, window, windows);
  }

  BenchScale withPackets(long count) {
    return new BenchScale(count, warmUp, window, windows);
  }

  /** For a figure that is only held beside another. */
  BenchScale brief() {
    return isFull()
        ? withWarmUp(Duration.ofSeconds(3)).withWindows(Duration.ofSeconds(1), 5)
        : this;
  }

  /** For a baseline, with a checkpoint in each window. */
  BenchScale beside() {
    return isFull()
        ? withWarmUp(Duration.ofSeconds(5)).withWindows(Duration.ofSeconds(2), windows)
        : this;
  }

  boolean isFull() {
    return packets >= FULL.packets;
  }
}
