// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly;

import dev.flowstone.commandline.DurationConverter;
import dev.flowstone.jobs.endpoints.AllowedTopic;
import dev.flowstone.jobs.endpoints.KafkaOptions;
import dev.flowstone.jobs.endpoints.RingOptions;
import dev.flowstone.jobs.endpoints.WantedTopic;
import dev.flowstone.jobs.endpoints.questdb.QuestDbOptions;
import dev.flowstone.jobs.endpoints.rules.RulesOptions;
import dev.flowstone.jobs.endpoints.stages.StageOptions;
import dev.flowstone.operators.ruled.FunctionKind;
import dev.flowstone.operators.ruled.LiveRules;
import dev.flowstone.rules.Rule;
import dev.flowstone.rules.function.Anomaly;
import dev.flowstone.rules.function.Detector;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What the job can be told; every option has a default but the rings. */
public final class AnomalyOptions {
  static final long USUAL_THRESHOLD = 10;

  @Mixin public RingOptions rings = new RingOptions();

  @Option(
      names = "--name",
      paramLabel = "NAME",
      defaultValue = AnomalyCommand.NAME,
      description =
          "What this job is called; two jobs on the same rings or brokers must differ. Default"
              + " ${DEFAULT-VALUE}.")
  public String name = AnomalyCommand.NAME;

  @Option(
      names = "--topic",
      paramLabel = "NAME",
      defaultValue = "syn-attacks",
      description = "Topic of what is found, for rules that name none. Default ${DEFAULT-VALUE}.")
  public String topic = "syn-attacks";

  @Option(
      names = "--detect",
      split = ",",
      paramLabel = "KIND[=THRESHOLD]",
      converter = AskedDetector.Converter.class,
      description =
          "What is watched for: syn_flood, udp_flood, icmp_flood, rst_flood, amplification (by"
              + " destination), port_scan (ports of a destination), host_scan (addresses that a"
              + " source tries at a port). Default syn_flood.")
  public List<AskedDetector> detect = List.of();

  @Option(
      names = "--threshold",
      paramLabel = "N",
      description =
          "An alert needs more than so many packets (floods, amplification) or targets (scans) in a"
              + " window. Default "
              + USUAL_THRESHOLD
              + ".")
  public Long threshold;

  @Option(
      names = "--window",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "Of event time. Default 5 s.")
  public Duration window;

  @Option(
      names = "--slide",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description =
          "From one window to the next; the window is 1 to 60 times as long. Default: the window, so"
              + " that they do not overlap.")
  public Duration slide;

  @Mixin public SubjectOptions subjects = new SubjectOptions();

  @Mixin public RulesOptions rules = new RulesOptions();

  @Mixin public KafkaOptions kafka = new KafkaOptions();

  @Mixin public QuestDbOptions questDb = new QuestDbOptions();

  @Mixin public StageOptions stages = new StageOptions();

  /** Throws for a value that makes no sense, by the name of its option. */
  void requireSense() {
    kafka.requireSense();
    questDb.requireSense();
    rings.requireSense();
    stages.requireSense();
    AllowedTopic.require("--topic", topic);
    subjects.requireSense();
    rules.requireOwnTopic(
        Stream.concat(Stream.of(topic), stages.topic(Optional.of(topic)).stream()));
    liveRules();
  }

  /** Those of file or topic, or one that the other options make. */
  public LiveRules liveRules() {
    if (rules.file != null
        && (threshold != null || window != null || slide != null || !detect.isEmpty())) {
      throw new IllegalArgumentException(
          "--rules says all that --detect, --threshold, --window and --slide say: leave those out");
    }
    return rules.live(
        anomaly(), kafka, asked -> asked.rules().rules().forEach(AnomalyOptions::requireKnown));
  }

  /** Where results go by the rules that the job begins with. */
  List<WantedTopic> topics() {
    return Stream.concat(
            Stream.concat(Stream.of(topic), stages.topic(Optional.of(topic)).stream()),
            liveRules().topics())
        .map(WantedTopic::ofResults)
        .toList();
  }

  private Anomaly anomaly() {
    Duration asked = window == null ? Detector.USUAL_WINDOW : window;
    List<AskedDetector> all =
        detect.isEmpty()
            ? List.of(new AskedDetector(Detector.Kind.SYN_FLOOD, Optional.empty()))
            : detect;
    try {
      return new Anomaly(all.stream().map(one -> detector(one, asked)).toList());
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "--detect, --threshold, --window, --slide: " + e.getMessage(), e);
    }
  }

  private Detector detector(AskedDetector asked, Duration length) {
    return new Detector(
        asked.kind(),
        asked.threshold().orElse(threshold == null ? USUAL_THRESHOLD : threshold),
        List.of(),
        length,
        slide == null ? length : slide,
        Optional.empty(),
        Optional.empty());
  }

  private static void requireKnown(Rule rule) {
    FunctionKind kind = FunctionKind.of(rule.function());
    if (kind != FunctionKind.ANOMALY && kind != FunctionKind.DROP) {
      throw new IllegalArgumentException(
          "rule %s has the function %s, and this job has anomaly and drop alone: give it one of these"
              .formatted(rule.name(), rule.function().name()));
    }
  }
}
