// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.histogram;

import dev.flowstone.commandline.DurationConverter;
import dev.flowstone.jobs.endpoints.AllowedTopic;
import dev.flowstone.jobs.endpoints.FlowOptions;
import dev.flowstone.jobs.endpoints.KafkaOptions;
import dev.flowstone.jobs.endpoints.RingOptions;
import dev.flowstone.jobs.endpoints.WantedTopic;
import dev.flowstone.jobs.endpoints.questdb.QuestDbOptions;
import dev.flowstone.jobs.endpoints.rules.RulesOptions;
import dev.flowstone.jobs.endpoints.stages.StageOptions;
import dev.flowstone.operators.histogram.HistogramRoom;
import dev.flowstone.operators.ruled.FunctionKind;
import dev.flowstone.operators.ruled.LiveRules;
import dev.flowstone.rules.Rule;
import dev.flowstone.rules.function.Histogram;
import dev.flowstone.rules.function.Histogram.Measure;
import dev.flowstone.rules.function.Histogram.Per;
import dev.flowstone.rules.function.PrefixLengths;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** What the job can be told; every option has a default but the rings. */
public final class HistogramOptions {

  @Mixin public RingOptions rings = new RingOptions();

  @Option(
      names = "--name",
      paramLabel = "NAME",
      defaultValue = HistogramCommand.NAME,
      description =
          "What this job is called; two jobs on the same rings or brokers must differ. Default"
              + " ${DEFAULT-VALUE}.")
  public String name = HistogramCommand.NAME;

  @Option(
      names = "--topic",
      paramLabel = "NAME",
      defaultValue = "histograms",
      description = "Topic of the histograms, for rules that name none. Default ${DEFAULT-VALUE}.")
  public String topic = "histograms";

  @Option(
      names = "--per",
      paramLabel = "rule|flow|source_prefix|destination_prefix",
      converter = PerConverter.class,
      description =
          "What has a histogram of its own. Gaps are between packets of one flow in any case."
              + " Default rule, which without --rules is every packet.")
  public Per per;

  @Option(
      names = "--ipv4-bits",
      paramLabel = "N",
      description = "Bits of an IPv4 address that make a prefix, 0 to 32. Default 24.")
  public Integer ipv4Bits;

  @Option(
      names = "--ipv6-bits",
      paramLabel = "N",
      description = "Bits of an IPv6 address that make a prefix, 0 to 128. Default 48.")
  public Integer ipv6Bits;

  @Option(
      names = "--of",
      paramLabel = "inter_arrival|packet_size",
      split = ",",
      converter = MeasureConverter.class,
      description = "What is measured, one or both. Default inter_arrival.")
  public Set<Measure> of;

  @Option(
      names = "--lowest",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description =
          "The least inter-arrival time that keeps its digits; what is below is told as underflow."
              + " Default 100 ns.")
  public Duration lowest;

  @Option(
      names = "--highest",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description =
          "The greatest inter-arrival time in the histogram; what is above is told as overflow. A"
              + " flow is remembered for so long and an interval. Default 10 s.")
  public Duration highest;

  @Option(
      names = "--digits",
      paramLabel = "N",
      description =
          "Significant decimal digits that a value keeps, 1 to 5. Each takes up to eight times the"
              + " memory of one less. Default 1 per flow, else 2.")
  public Integer digits;

  @Option(
      names = "--interval",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "Event time between reports, from 1970 on. Default 10 s.")
  public Duration interval;

  @Mixin public FlowOptions flows = new FlowOptions();

  @Mixin public RulesOptions rules = new RulesOptions();

  @Mixin public KafkaOptions kafka = new KafkaOptions();

  @Mixin public QuestDbOptions questDb = new QuestDbOptions();

  @Mixin public StageOptions stages = new StageOptions();

  /** Throws for a value that makes no sense, by the name of its option. */
  void requireSense() {
    AllowedTopic.require("--topic", topic);
    flows.requireSense();
    kafka.requireSense();
    questDb.requireSense();
    rings.requireSense();
    stages.requireSense();
    rules.requireOwnTopic(
        Stream.concat(Stream.of(topic), stages.topic(Optional.of(topic)).stream()));
    liveRules();
  }

  /**
   * Those of file or topic, or one that the other options make: histograms to begin with, and what
   * there is room for from then on.
   */
  LiveRules liveRules() {
    boolean isAsked =
        Stream.of(per, ipv4Bits, ipv6Bits, of, lowest, highest, digits, interval)
            .anyMatch(each -> each != null);
    if (rules.file != null && isAsked) {
      throw new IllegalArgumentException(
          "--rules says which histograms there are: leave out --per, --ipv4-bits, --ipv6-bits,"
              + " --of, --lowest, --highest, --digits and --interval");
    }
    LiveRules live =
        rules.live(
            histogram(),
            kafka,
            asked -> asked.rules().rules().forEach(HistogramOptions::requireKnown));
    if (live.begin().rules().stream().noneMatch(HistogramOptions::isHistogram)) {
      throw new IllegalArgumentException(rules.file + ": no rule has the function histogram");
    }
    return live.requiring(room(live));
  }

  /** What the rules at the start need, or the more that is asked for. */
  HistogramRoom room(LiveRules live) {
    try {
      return flows.ofHistograms(live);
    } catch (IllegalArgumentException e) {
      String place = rules.file == null ? "" : rules.file + ": ";
      throw new IllegalArgumentException(place + e.getMessage(), e);
    }
  }

  private static boolean isHistogram(Rule rule) {
    return FunctionKind.of(rule.function()) == FunctionKind.HISTOGRAM;
  }

  private static void requireKnown(Rule rule) {
    if (!isHistogram(rule) && FunctionKind.of(rule.function()) != FunctionKind.DROP) {
      throw new IllegalArgumentException(
          "rule %s has the function %s, and this job has histogram and drop alone: give it one of these"
              .formatted(rule.name(), rule.function().name()));
    }
  }

  /** Where results go by the rules that the job begins with. */
  List<WantedTopic> topics() {
    return Stream.concat(
            Stream.concat(Stream.of(topic), stages.topic(Optional.of(topic)).stream()),
            liveRules().topics())
        .map(WantedTopic::ofResults)
        .toList();
  }

  private Histogram histogram() {
    Per chosen = per == null ? Per.RULE : per;
    Histogram usual = Histogram.usual(chosen);
    return new Histogram(
        of == null ? usual.of() : of,
        chosen,
        prefixes(),
        lowest == null ? usual.lowestNs() : lowest.toNanos(),
        highest == null ? usual.highestNs() : highest.toNanos(),
        digits == null ? usual.digits() : digits,
        interval == null ? usual.interval() : interval);
  }

  private PrefixLengths prefixes() {
    PrefixLengths usual = PrefixLengths.USUAL;
    return new PrefixLengths(
        ipv4Bits == null ? usual.ipv4Bits() : ipv4Bits,
        ipv6Bits == null ? usual.ipv6Bits() : ipv6Bits);
  }

  private static <E extends Enum<E>> E convert(String text, E[] values) {
    for (E value : values) {
      if (value.name().equalsIgnoreCase(text)) {
        return value;
      }
    }
    throw new TypeConversionException(
        text
            + " is none of "
            + Stream.of(values).map(value -> value.name().toLowerCase(Locale.ROOT)).toList());
  }

  /** As rules files have it. */
  static final class PerConverter implements ITypeConverter<Per> {
    @Override
    public Per convert(String text) {
      return HistogramOptions.convert(text, Per.values());
    }
  }

  /** As rules files have it. */
  static final class MeasureConverter implements ITypeConverter<Measure> {
    @Override
    public Measure convert(String text) {
      return HistogramOptions.convert(text, Measure.values());
    }
  }
}
