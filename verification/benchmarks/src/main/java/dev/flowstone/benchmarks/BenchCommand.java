// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.commandline.CommandRunner;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./flowstone bench NAME}: one line of JSON on standard output. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    description = "Runs one benchmark and prints one JSON line with its figure and its baseline.")
public final class BenchCommand implements Callable<Integer> {
  private static final String LIST = "list";
  private static final String ALL = "all";

  static final List<Benchmark> BENCHMARKS =
      List.of(
          new OnBothMixes(new ParseBenchmark()),
          new ClassifyBenchmark(),
          new RingBenchmark(),
          new CardBenchmark(),
          new OnBothMixes(new SourceBenchmark()),
          new OnBothMixes(new KafkaBenchmark()),
          new OnBothMixes(new WireBenchmark()),
          new OnBothMixes(new AllocBenchmark()),
          new OnBothMixes(new SamplingBenchmark()),
          new HistogramBenchmark(),
          new SynBenchmark(),
          new OnBothMixes(new PlatformBenchmark()),
          new StateBenchmark(),
          new OnBothMixes(new SqlBenchmark()));

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "NAME",
      completionCandidates = Names.class,
      description = "A benchmark's name: ${COMPLETION-CANDIDATES}; list; or all.")
  private String name;

  /** What {@link #BENCHMARKS} are called. */
  static final class Names implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return BENCHMARKS.stream().map(Benchmark::name).iterator();
    }
  }

  @Override
  public Integer call() throws Exception {
    if (name.equals(LIST)) {
      BENCHMARKS.forEach(
          benchmark -> System.out.printf("%-9s %s%n", benchmark.name(), benchmark.description()));
      return 0;
    }
    List<Benchmark> wanted =
        BENCHMARKS.stream().filter(each -> name.equals(ALL) || name.equals(each.name())).toList();
    if (wanted.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(), "no benchmark named '" + name + "'; 'bench list' names them");
    }
    for (Benchmark benchmark : wanted) {
      System.out.println(measured(benchmark, BenchScale.FULL).toJson());
    }
    return 0;
  }

  /** With what the host took of the machine meanwhile. */
  static BenchResult measured(Benchmark benchmark, BenchScale scale) throws Exception {
    StealTime steal = new StealTime();
    BenchResult result = benchmark.run(scale);
    double percent = steal.percent();
    return result.with("steal_percent", percent).with("disturbed", StealTime.isDisturbing(percent));
  }

  public static void main(String[] arguments) {
    System.exit(CommandRunner.run(new BenchCommand(), arguments));
  }
}
