// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import java.util.ArrayList;
import java.util.List;

/**
 * Runs a benchmark on each mix of traffic; the worse figure is the figure, both are in the line.
 */
record OnBothMixes(MixBenchmark benchmark) implements Benchmark {

  @Override
  public String name() {
    return benchmark.name();
  }

  @Override
  public String description() {
    return benchmark.description();
  }

  @Override
  public BenchResult run(BenchScale scale) throws Exception {
    List<BenchResult> results = new ArrayList<>();
    for (Mix mix : Mix.values()) {
      Progress.say(mix + " traffic");
      results.add(benchmark.run(mix, scale).with("mix", mix.describe()));
    }
    return worst(results);
  }

  static BenchResult worst(List<BenchResult> both) {
    List<BenchResult> sorted = both.stream().sorted(BenchResult.WORST_FIRST).toList();
    return sorted.getFirst().with("other_mix", sorted.getLast().ofThisMix());
  }
}
