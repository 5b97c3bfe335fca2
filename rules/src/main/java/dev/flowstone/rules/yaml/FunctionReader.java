// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.yaml;

import dev.flowstone.commandline.DurationText;
import dev.flowstone.rules.AddressMatch;
import dev.flowstone.rules.Place;
import dev.flowstone.rules.Problems;
import dev.flowstone.rules.function.Aggregate;
import dev.flowstone.rules.function.Anomaly;
import dev.flowstone.rules.function.Detector;
import dev.flowstone.rules.function.Detector.Baseline;
import dev.flowstone.rules.function.Detector.PrefixThreshold;
import dev.flowstone.rules.function.Drop;
import dev.flowstone.rules.function.Histogram;
import dev.flowstone.rules.function.Pass;
import dev.flowstone.rules.function.PrefixLengths;
import dev.flowstone.rules.function.Sample;
import dev.flowstone.rules.function.ServiceFunction;
import dev.flowstone.rules.function.UserFunction;
import dev.flowstone.rules.yaml.YamlNode.Mapping;
import dev.flowstone.rules.yaml.YamlNode.Scalar;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Reads what stands at {@code function}: a name, or a name with its options below. Each function
 * has one method here and one branch in the schema.
 */
final class FunctionReader {
  private static final Duration LONGEST = Duration.ofDays(7);

  private static final Map<String, Function<Section, Optional<? extends ServiceFunction>>>
      WITH_OPTIONS =
          Map.of(
              "pass", FunctionReader::pass,
              "aggregate", FunctionReader::aggregate,
              "sample", FunctionReader::sample,
              "histogram", FunctionReader::histogram,
              "user", FunctionReader::user);

  private static final String NAMES =
      "function must be pass, drop, aggregate or histogram, or one of pass, aggregate, sample,"
          + " histogram, anomaly and user with its options below";

  private FunctionReader() {}

  static Optional<? extends ServiceFunction> read(YamlNode node, Problems problems) {
    return switch (node) {
      case Scalar scalar -> named(scalar, problems);
      case Mapping(Place _, List<YamlNode.Entry> entries) when entries.size() == 1 ->
          withOptions(entries.getFirst(), problems);
      default -> refused(node.place(), node.described(), problems);
    };
  }

  private static Optional<? extends ServiceFunction> named(Scalar name, Problems problems) {
    return switch (name.text()) {
      case "pass" -> Optional.of(Pass.unchanged());
      case "drop" -> Optional.of(new Drop());
      case "aggregate" -> Optional.of(Aggregate.USUAL);
      case "histogram" -> Optional.of(Histogram.usual(Histogram.Per.RULE));
      default -> refused(name.place(), name.described(), problems);
    };
  }

  private static Optional<? extends ServiceFunction> withOptions(
      YamlNode.Entry entry, Problems problems) {
    String name = entry.key().text();
    if (name.equals("anomaly")) {
      return anomaly(entry.value(), problems);
    }
    Function<Section, Optional<? extends ServiceFunction>> reader = WITH_OPTIONS.get(name);
    return reader == null
        ? refused(entry.key().place(), entry.key().described(), problems)
        : Section.of(entry.value(), name, problems).flatMap(reader);
  }

  private static Optional<ServiceFunction> refused(Place place, String found, Problems problems) {
    problems.add(place, NAMES + ": " + found);
    return Optional.empty();
  }

  private static Optional<Pass> pass(Section options) {
    Optional<String> key = options.text("anonymise");
    options.end();
    return options.made(() -> new Pass(key));
  }

  private static Optional<Aggregate> aggregate(Section options) {
    Duration active = length(options, "active_timeout").orElse(Aggregate.USUAL.activeTimeout());
    Duration idle = length(options, "idle_timeout").orElse(Aggregate.USUAL.idleTimeout());
    options.end();
    return options.made(() -> new Aggregate(active, idle));
  }

  private static Optional<Sample> sample(Section options) {
    boolean isCounted = options.node("one_in").isPresent();
    Optional<Integer> oneIn = options.integer("one_in", 1, Sample.MOST_ONE_IN);
    Sample.By by = options.oneOf("by", Sample.By.values()).orElse(Sample.By.PACKETS);
    long seed = options.whole("seed", Long.MIN_VALUE, Long.MAX_VALUE).orElse(0L);
    boolean keep = options.truth("keep_syn_fin_rst").orElse(false);
    Optional<String> key = options.text("anonymise");
    options.end();
    if (!isCounted) {
      return options.missing("one_in");
    }
    return oneIn.flatMap(every -> options.made(() -> new Sample(every, by, seed, keep, key)));
  }

  private static Optional<Histogram> histogram(Section options) {
    Set<Histogram.Measure> of = EnumSet.noneOf(Histogram.Measure.class);
    options
        .list("of")
        .ifPresentOrElse(
            items ->
                items.forEach(
                    item ->
                        options.oneOf("of", item, Histogram.Measure.values()).ifPresent(of::add)),
            () -> of.add(Histogram.Measure.INTER_ARRIVAL));
    Histogram.Per per = options.oneOf("per", Histogram.Per.values()).orElse(Histogram.Per.RULE);
    int ipv4Bits = options.integer("ipv4_bits", 0, 32).orElse(PrefixLengths.USUAL.ipv4Bits());
    int ipv6Bits = options.integer("ipv6_bits", 0, 128).orElse(PrefixLengths.USUAL.ipv6Bits());
    long lowest =
        length(options, "lowest").map(Duration::toNanos).orElse(Histogram.USUAL_LOWEST_NS);
    long highest =
        length(options, "highest").map(Duration::toNanos).orElse(Histogram.USUAL_HIGHEST_NS);
    int digits = options.integer("digits", 1, Histogram.MOST_DIGITS).orElse(per.usualDigits());
    Duration interval = length(options, "interval").orElse(Histogram.USUAL_INTERVAL);
    options.end();
    return options.made(
        () ->
            new Histogram(
                of, per, new PrefixLengths(ipv4Bits, ipv6Bits), lowest, highest, digits, interval));
  }

  private static Optional<Anomaly> anomaly(YamlNode node, Problems problems) {
    if (!(node instanceof YamlNode.Sequence(Place place, List<YamlNode> items))) {
      problems.add(node.place(), "anomaly must be a list of detectors: " + node.described());
      return Optional.empty();
    }
    List<Detector> detectors =
        items.stream()
            .flatMap(item -> Section.of(item, "detector", problems).stream())
            .flatMap(section -> detector(section).stream())
            .toList();
    if (detectors.size() < items.size()) {
      return Optional.empty();
    }
    try {
      return Optional.of(new Anomaly(detectors));
    } catch (IllegalArgumentException e) {
      problems.add(place, e.getMessage());
      return Optional.empty();
    }
  }

  private static Optional<Detector> detector(Section options) {
    boolean isComplete =
        options.node("detect").isPresent() && options.node("threshold").isPresent();
    Optional<Detector.Kind> kind = options.oneOf("detect", Detector.Kind.values());
    Optional<Long> threshold = threshold(options);
    List<PrefixThreshold> thresholds = thresholds(options);
    Duration window = length(options, "window").orElse(Detector.USUAL_WINDOW);
    Duration slide = length(options, "slide").orElse(window);
    Optional<Baseline> baseline = options.section("baseline").flatMap(FunctionReader::baseline);
    Optional<Integer> completed = options.integer("least_completed_percent", 1, 100);
    options.end();
    if (!isComplete) {
      return options.missing("detect and threshold");
    }
    if (kind.isEmpty() || threshold.isEmpty()) {
      return Optional.empty();
    }
    return options.made(
        () ->
            new Detector(
                kind.get(), threshold.get(), thresholds, window, slide, baseline, completed));
  }

  private static Optional<Long> threshold(Section options) {
    return options.whole("threshold", 0, Long.MAX_VALUE);
  }

  private static List<PrefixThreshold> thresholds(Section options) {
    return options.list("thresholds").orElse(List.of()).stream()
        .flatMap(item -> Section.of(item, "thresholds", options.problems()).stream())
        .flatMap(section -> prefixThreshold(section).stream())
        .toList();
  }

  private static Optional<PrefixThreshold> prefixThreshold(Section options) {
    boolean isComplete =
        options.node("prefix").isPresent() && options.node("threshold").isPresent();
    Optional<AddressMatch> prefix = options.parsed("prefix", AddressMatch::parse);
    Optional<Long> threshold = threshold(options);
    options.end();
    if (!isComplete) {
      return options.missing("prefix and threshold");
    }
    return prefix.isEmpty() || threshold.isEmpty()
        ? Optional.empty()
        : options.made(() -> new PrefixThreshold(prefix.get(), threshold.get()));
  }

  private static Optional<Baseline> baseline(Section options) {
    boolean isComplete = options.node("times").isPresent() && options.node("half_life").isPresent();
    Optional<Integer> times = options.integer("times", 2, Baseline.MOST_TIMES);
    Optional<Duration> halfLife = length(options, "half_life");
    options.end();
    if (!isComplete) {
      return options.missing("times and half_life");
    }
    return times.isEmpty() || halfLife.isEmpty()
        ? Optional.empty()
        : options.made(() -> new Baseline(times.get(), halfLife.get()));
  }

  private static Optional<UserFunction> user(Section options) {
    boolean isNamed = options.node("class").isPresent();
    Optional<String> className = options.text("class");
    Map<String, String> texts = new HashMap<>();
    options
        .node("options")
        .ifPresent(
            node -> {
              if (node instanceof Mapping(Place _, List<YamlNode.Entry> entries)) {
                Section all = Section.of(node, "options", options.problems()).orElseThrow();
                for (YamlNode.Entry entry : entries) {
                  all.text(entry.key().text())
                      .ifPresent(text -> texts.put(entry.key().text(), text));
                }
              } else {
                options
                    .problems()
                    .add(node.place(), "options must be a mapping: " + node.described());
              }
            });
    options.end();
    if (!isNamed) {
      return options.missing("class");
    }
    return className.flatMap(name -> options.made(() -> new UserFunction(name, texts)));
  }

  private static Optional<Duration> length(Section options, String key) {
    return options.parsed(key, FunctionReader::length);
  }

  private static Duration length(String text) {
    Duration length = DurationText.parse(text);
    if (length.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException("at most " + DurationText.of(LONGEST) + ": " + text);
    }
    return length;
  }
}
