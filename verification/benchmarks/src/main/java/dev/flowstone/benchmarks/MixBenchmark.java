// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

/** A figure that depends on what the packets are like; {@link OnMixes} makes it one line. */
interface MixBenchmark {

  /** See {@link Benchmark#name}. */
  String name();

  /** See {@link Benchmark#description}. */
  String description();

  /** Returns the measurements that {@link #run} takes on one mix. */
  Steps steps(BenchScale scale);

  BenchResult run(Mix mix, BenchScale scale) throws Exception;
}
