// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.commandline.Allowed;
import dev.flowstone.commandline.CommandRunner;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./flowstone bench NAME}: one line of JSON on standard output. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    description = "Runs one benchmark and prints one JSON line with its figure and its baseline.",
    footer = {
      "",
      "  ./flowstone bench kafka --quick",
      "  ./flowstone bench source --mix backbone --windows 10"
    })
public final class BenchCommand implements Callable<Integer> {
  private static final String LIST = "list";
  private static final String ALL = "all";
  private static final String BOTH = "both";

  static final List<Benchmark> BENCHMARKS =
      List.of(
          new OnMixes(new ParseBenchmark()),
          new ClassifyBenchmark(),
          new RingBenchmark(),
          new CardBenchmark(),
          new OnMixes(new SourceBenchmark()),
          new OnMixes(new KafkaBenchmark()),
          new OnMixes(new WireBenchmark()),
          new OnMixes(new AllocBenchmark()),
          new OnMixes(new SamplingBenchmark()),
          new HistogramBenchmark(),
          new SynBenchmark(),
          new OnMixes(new PlatformBenchmark()),
          new StateBenchmark(),
          new OnMixes(new SqlBenchmark()));

  private final BenchScale fullScale;
  private final BenchScale quickScale;

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "NAME",
      completionCandidates = Names.class,
      description = "A benchmark's name: ${COMPLETION-CANDIDATES}; list; or all.")
  private String name;

  @Option(
      names = "--quick",
      description =
          "Measures the figure and one baseline, in at most a minute on two quiet cores. Full"
              + " benchmarks are for comparison, quick ones for a first look.")
  private boolean isQuick;

  @Option(
      names = "--mix",
      paramLabel = "backbone|resampled|both",
      description =
          "Traffic, for benchmarks without traffic of their own. Default: both, with --quick"
              + " backbone.")
  private String mix;

  @Option(
      names = "--windows",
      paramLabel = "N",
      description =
          "Number of measurements whose median is a figure or a baseline. Default: 5, with --quick"
              + " 3.")
  @Allowed(from = "1", to = "1000", unit = "windows")
  private Integer windows;

  public BenchCommand() {
    this(BenchScale.FULL, BenchScale.QUICK);
  }

  BenchCommand(BenchScale fullScale, BenchScale quickScale) {
    this.fullScale = fullScale;
    this.quickScale = quickScale;
  }

  /** The names of {@link #BENCHMARKS}. */
  static final class Names implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return BENCHMARKS.stream().map(Benchmark::name).iterator();
    }
  }

  @Override
  public Integer call() throws Exception {
    BenchScale scale = scale();
    if (name.equals(LIST)) {
      BENCHMARKS.forEach(
          benchmark -> System.out.printf("%-9s %s%n", benchmark.name(), benchmark.description()));
      return 0;
    }
    for (Benchmark benchmark : wanted()) {
      try (Progress _ = Progress.begin(benchmark.name(), benchmark.steps(scale))) {
        System.out.println(measured(benchmark, scale).toJson());
      }
    }
    return 0;
  }

  private List<Benchmark> wanted() {
    if (name.equals(ALL)) {
      return BENCHMARKS;
    }
    Benchmark wanted =
        BENCHMARKS.stream()
            .filter(each -> name.equals(each.name()))
            .findFirst()
            .orElseThrow(
                () -> wrongUse("NAME must be " + names(BENCHMARKS) + ", list or all: " + name));
    if (mix != null && !wanted.hasMixes()) {
      List<Benchmark> withMixes = BENCHMARKS.stream().filter(Benchmark::hasMixes).toList();
      throw wrongUse(
          "--mix requires a benchmark with mixes (" + names(withMixes) + "), got " + name);
    }
    return List.of(wanted);
  }

  private BenchScale scale() {
    BenchScale usual = isQuick ? quickScale : fullScale;
    BenchScale scale = windows == null ? usual : usual.withWindows(windows);
    return mix == null ? scale : scale.withMixes(mixes());
  }

  private List<Mix> mixes() {
    if (mix.equals(BOTH)) {
      return List.of(Mix.values());
    }
    return Arrays.stream(Mix.values())
        .filter(each -> each.toString().equals(mix))
        .map(List::of)
        .findFirst()
        .orElseThrow(() -> wrongUse("--mix must be backbone, resampled or both: " + mix));
  }

  private static String names(List<Benchmark> benchmarks) {
    return benchmarks.stream().map(Benchmark::name).collect(Collectors.joining(", "));
  }

  private ParameterException wrongUse(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  /** Adds the form, and how much of the machine's processors its host gave to others. */
  static BenchResult measured(Benchmark benchmark, BenchScale scale) throws Exception {
    StealTime steal = new StealTime();
    BenchResult result = benchmark.run(scale);
    double percent = steal.percent();
    return result
        .with("form", scale.form().name().toLowerCase(Locale.ROOT))
        .with("steal_percent", percent)
        .with("disturbed", StealTime.isDisturbing(percent));
  }

  public static void main(String[] arguments) {
    System.exit(CommandRunner.run(new BenchCommand(), arguments));
  }
}
