// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

/** One figure of Flowstone, measured beside what it is compared with. */
interface Benchmark {

  /** What {@code ./flowstone bench} calls it. */
  String name();

  /** One line for the list. */
  String description();

  BenchResult run(BenchScale scale) throws Exception;
}
