// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Runs a benchmark on each mix of traffic; the worse figure is the figure, both are in the line. So
 * it is with each further figure, which need not be worse on the same mix.
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
    for (Map.Entry<Mix, String> mix : described().entrySet()) {
      Progress.say("on " + mix.getValue());
      results.add(benchmark.run(mix.getKey(), scale).with(BenchResult.MIX, mix.getValue()));
    }
    return worst(results);
  }

  /** Before anything is measured: captures that are not there are missed at once. */
  private static Map<Mix, String> described() {
    Map<Mix, String> all = new EnumMap<>(Mix.class);
    for (Mix mix : Mix.values()) {
      all.put(mix, mix.describe());
    }
    return all;
  }

  static BenchResult worst(List<BenchResult> both) {
    List<BenchResult> sorted = both.stream().sorted(BenchResult.WORST_FIRST).toList();
    BenchResult worse = sorted.getFirst();
    BenchResult other = sorted.getLast();
    List<String> exchanged = worse.furtherFiguresWorseIn(other);
    return worse
        .withFigures(exchanged, other)
        .with("other_mix", other.withFigures(exchanged, worse).ofThisMix());
  }
}
