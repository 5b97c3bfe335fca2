// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import java.time.Duration;
import java.util.List;

/**
 * How much is measured, and on which traffic.
 *
 * @param form all figures, or one figure and its baseline
 * @param mixes for the benchmarks that run on mixes of traffic
 * @param packets distinct packets to prepare
 * @param warmUp time before the first window
 * @param window length of one window
 * @param windows number of windows
 */
record BenchScale(
    Form form, List<Mix> mixes, long packets, Duration warmUp, Duration window, int windows) {

  /** How much of a benchmark is measured. */
  enum Form {
    /** All figures and all baselines. */
    FULL,
    /** The figure and one baseline. */
    QUICK
  }

  /** 2^24 records take 1 GiB, which exceeds all caches. */
  static final BenchScale FULL =
      new BenchScale(
          Form.FULL,
          List.of(Mix.values()),
          (1L << 24) + (1L << 18),
          Duration.ofSeconds(10),
          Duration.ofSeconds(5),
          5);

  /** 2^22 records take 256 MiB; every benchmark ends within a minute on two cores. */
  static final BenchScale QUICK =
      new BenchScale(
          Form.QUICK,
          List.of(Mix.BACKBONE),
          1L << 22,
          Duration.ofSeconds(3),
          Duration.ofSeconds(1),
          3);

  /** All figures in the least time, for tests. */
  static final BenchScale SMOKE =
      new BenchScale(
          Form.FULL,
          List.of(Mix.values()),
          20_000,
          Duration.ofMillis(50),
          Duration.ofMillis(200),
          2);

  private static final Duration MAX_COMMIT_INTERVAL = Duration.ofSeconds(1);

  BenchScale {
    mixes = List.copyOf(mixes);
  }

  BenchScale in(Form other) {
    return new BenchScale(other, mixes, packets, warmUp, window, windows);
  }

  BenchScale withMixes(List<Mix> others) {
    return new BenchScale(form, others, packets, warmUp, window, windows);
  }

  BenchScale withWindows(int count) {
    return withWindows(window, count);
  }

  BenchScale withWindows(Duration length, int count) {
    return new BenchScale(form, mixes, packets, warmUp, length, count);
  }

  BenchScale withWarmUp(Duration length) {
    return new BenchScale(form, mixes, packets, length, window, windows);
  }

  /** For a figure that only explains another one. */
  BenchScale brief() {
    return isFull()
        ? withWarmUp(Duration.ofSeconds(3)).withWindows(Duration.ofSeconds(1), windows)
        : this;
  }

  /** For a baseline, with a checkpoint in each window. */
  BenchScale beside() {
    return isFull()
        ? withWarmUp(Duration.ofSeconds(5)).withWindows(Duration.ofSeconds(2), windows)
        : this;
  }

  /** For results that come in bursts: each window contains one. */
  BenchScale withLongWindows() {
    return withWindows(window.multipliedBy(2), windows);
  }

  /** Returns the interval of commits to Kafka: a window contains at least one. */
  Duration commitInterval() {
    return window.compareTo(MAX_COMMIT_INTERVAL) < 0 ? window : MAX_COMMIT_INTERVAL;
  }

  /** Returns the time that one measurement takes, preparation excluded. */
  Duration length() {
    return warmUp.plus(window.multipliedBy(windows));
  }

  boolean isQuick() {
    return form == Form.QUICK;
  }

  /** Whether a benchmark takes the time that its full form needs. */
  boolean isFull() {
    return form == Form.FULL && !isSmoke();
  }

  boolean isSmoke() {
    return packets <= SMOKE.packets;
  }
}
