// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

/** One figure of Flowstone, measured beside what it is compared with. */
interface Benchmark {

  /** What {@code ./flowstone bench} calls it. */
  String name();

  /** One line for the list. */
  String description();

  /** Returns whether it runs on the mixes of a scale; if not, its traffic is its own. */
  default boolean hasMixes() {
    return false;
  }

  /** Returns the measurements that {@link #run} takes. */
  Steps steps(BenchScale scale);

  BenchResult run(BenchScale scale) throws Exception;
}
