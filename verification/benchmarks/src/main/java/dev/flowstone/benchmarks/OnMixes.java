// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Runs a benchmark on each mix of traffic of a scale. If there are two, the worse figure is the
 * figure, and the line has both. The same applies to each further figure, which can be worse on the
 * other mix.
 */
record OnMixes(MixBenchmark benchmark) implements Benchmark {

  @Override
  public String name() {
    return benchmark.name();
  }

  @Override
  public String description() {
    return benchmark.description();
  }

  @Override
  public boolean hasMixes() {
    return true;
  }

  @Override
  public Steps steps(BenchScale scale) {
    return benchmark.steps(scale).times(scale.mixes().size());
  }

  @Override
  public BenchResult run(BenchScale scale) throws Exception {
    List<BenchResult> results = new ArrayList<>();
    for (Map.Entry<Mix, String> mix : described(scale.mixes()).entrySet()) {
      Progress.say("on " + mix.getValue());
      results.add(benchmark.run(mix.getKey(), scale).with(BenchResult.MIX, mix.getValue()));
    }
    return worst(results);
  }

  /** Describes all before the first is measured: missing captures fail at once. */
  private static Map<Mix, String> described(List<Mix> mixes) {
    Map<Mix, String> all = new EnumMap<>(Mix.class);
    for (Mix mix : mixes) {
      all.put(mix, mix.describe());
    }
    return all;
  }

  static BenchResult worst(List<BenchResult> results) {
    List<BenchResult> sorted = results.stream().sorted(BenchResult.WORST_FIRST).toList();
    BenchResult worse = sorted.getFirst();
    if (sorted.size() == 1) {
      return worse;
    }
    BenchResult other = sorted.getLast();
    List<String> exchanged = worse.furtherFiguresWorseIn(other);
    return worse
        .withFigures(exchanged, other)
        .with("other_mix", other.withFigures(exchanged, worse).ofThisMix());
  }
}
