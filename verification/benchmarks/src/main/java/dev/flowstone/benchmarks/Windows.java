// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** The same thing measured several times; its median is what counts. */
record Windows(List<Double> values) {
  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final Duration START_POLL = Duration.ofMillis(10);

  Windows {
    values = List.copyOf(values);
    if (values.isEmpty()) {
      throw new IllegalArgumentException("nothing was measured: no window");
    }
  }

  /** Rates per second of a growing count, while it is driven by somebody else. */
  static Windows ratesOf(LongSupplier count, BenchScale scale) {
    awaitGrowth(count);
    await(scale.warmUp());
    List<Double> rates = new ArrayList<>();
    for (int i = 0; i < scale.windows(); i++) {
      long startCount = count.getAsLong();
      long startNs = System.nanoTime();
      await(scale.window(), count);
      double seconds = (System.nanoTime() - startNs) / 1e9;
      rates.add((count.getAsLong() - startCount) / seconds);
    }
    return new Windows(rates);
  }

  /** Rates per second of work done in this thread; each call of the pass does that much of it. */
  static Windows ratesOfPasses(long workPerPass, Runnable pass, BenchScale scale) {
    return ratesOfPasses(workPerPass, pass, scale, System::nanoTime);
  }

  /** The same per second of CPU time: what one core does, whoever else wants it meanwhile. */
  static Windows ratesOfPassesPerCore(long workPerPass, Runnable pass, BenchScale scale) {
    return ratesOfPasses(
        workPerPass, pass, scale, ManagementFactory.getThreadMXBean()::getCurrentThreadCpuTime);
  }

  private static Windows ratesOfPasses(
      long workPerPass, Runnable pass, BenchScale scale, LongSupplier clockNs) {
    passesPerSecond(pass, scale.warmUp(), clockNs);
    List<Double> rates = new ArrayList<>();
    for (int i = 0; i < scale.windows(); i++) {
      rates.add(workPerPass * passesPerSecond(pass, scale.window(), clockNs));
    }
    return new Windows(rates);
  }

  private static double passesPerSecond(Runnable pass, Duration length, LongSupplier clockNs) {
    long startNs = clockNs.getAsLong();
    long endWallNs = System.nanoTime() + length.toNanos();
    long passes = 0;
    do {
      pass.run();
      passes++;
    } while (System.nanoTime() - endWallNs < 0);
    return passes * 1e9 / (clockNs.getAsLong() - startNs);
  }

  /** Returns when whoever drives the count has begun: only then a warm-up warms anything up. */
  static void awaitGrowth(LongSupplier count) {
    long startCount = count.getAsLong();
    long endNs = System.nanoTime() + START_LIMIT.toNanos();
    while (count.getAsLong() == startCount) {
      if (System.nanoTime() - endNs > 0) {
        throw new IllegalStateException("nothing to measure came within " + START_LIMIT);
      }
      await(START_POLL);
    }
  }

  /** Waits for the end of a window; a short one in which nothing came ends when something did. */
  static void await(Duration length, LongSupplier count) {
    long start = count.getAsLong();
    await(length);
    if (count.getAsLong() == start) {
      awaitGrowth(count);
    }
  }

  static void await(Duration length) {
    long endNs = System.nanoTime() + length.toNanos();
    for (long leftNs = length.toNanos(); leftNs > 0; leftNs = endNs - System.nanoTime()) {
      LockSupport.parkNanos(leftNs);
    }
  }

  double median() {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /** The least and the most. */
  List<Double> range() {
    return List.of(
        values.stream().min(Double::compare).orElseThrow(),
        values.stream().max(Double::compare).orElseThrow());
  }
}
