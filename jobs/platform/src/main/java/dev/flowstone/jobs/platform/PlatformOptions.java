// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.platform;

import dev.flowstone.jobs.anomaly.SubjectOptions;
import dev.flowstone.jobs.endpoints.AllowedTopic;
import dev.flowstone.jobs.endpoints.FlowOptions;
import dev.flowstone.jobs.endpoints.KafkaOptions;
import dev.flowstone.jobs.endpoints.KeyOptions;
import dev.flowstone.jobs.endpoints.PacketBatchOptions;
import dev.flowstone.jobs.endpoints.RingOptions;
import dev.flowstone.jobs.endpoints.WantedTopic;
import dev.flowstone.jobs.endpoints.questdb.QuestDbOptions;
import dev.flowstone.jobs.endpoints.rules.RulesOptions;
import dev.flowstone.jobs.endpoints.stages.StageOptions;
import dev.flowstone.operators.ruled.LiveRules;
import dev.flowstone.operators.ruled.RulesCheck;
import dev.flowstone.operators.user.UserFunctions;
import dev.flowstone.rules.function.Pass;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What the job can be told; every option has a default but the rings. */
public final class PlatformOptions {
  @Mixin public RingOptions rings = new RingOptions();

  @Option(
      names = "--name",
      paramLabel = "NAME",
      defaultValue = PlatformCommand.NAME,
      description =
          "What this job is called; two jobs on the same rings or brokers must differ. Default"
              + " ${DEFAULT-VALUE}.")
  public String name = PlatformCommand.NAME;

  @Option(
      names = "--topic",
      paramLabel = "NAME",
      defaultValue = "packets",
      description =
          "Topic of the packet batches whose rule names no other; it wants one partition for each"
              + " ring. Default ${DEFAULT-VALUE}.")
  public String topic = "packets";

  @Option(
      names = "--results-topic",
      paramLabel = "NAME",
      defaultValue = "results",
      description =
          "Topic of what functions find out, for rules that name none; without rules it is not"
              + " needed. Default ${DEFAULT-VALUE}.")
  public String resultsTopic = "results";

  @Mixin public RulesOptions rules = new RulesOptions();

  @Option(
      names = "--functions",
      paramLabel = "DIR",
      description =
          "Folder with the jars of classes that rules name, on each machine that runs the job.")
  public Path functions;

  @Mixin public KeyOptions keys = new KeyOptions();

  @Mixin public FlowOptions flows = new FlowOptions();

  @Mixin public SubjectOptions subjects = new SubjectOptions();

  @Mixin public KafkaOptions kafka = new KafkaOptions();

  @Mixin public PacketBatchOptions batches = new PacketBatchOptions();

  @Mixin public QuestDbOptions questDb = new QuestDbOptions();

  @Mixin public StageOptions stages = new StageOptions();

  /** Throws for a value that makes no sense, by the name of its option. */
  void requireSense() {
    AllowedTopic.require("--topic", topic);
    AllowedTopic.require("--results-topic", resultsTopic);
    flows.requireSense();
    subjects.requireSense();
    batches.requireSense();
    kafka.requireSense();
    questDb.requireSense();
    rings.requireSense();
    stages.requireSense(topic);
    if (rules.isGiven()) {
      requireTwoTopics();
      rules.requireOwnTopic(Stream.concat(Stream.of(topic), resultsTopics()));
      liveRules();
    } else {
      requireNothingForRules();
    }
  }

  private void requireTwoTopics() {
    if (topic.equals(resultsTopic)) {
      throw new IllegalArgumentException(
          "--topic and --results-topic are both "
              + topic
              + ": packets and results need two topics");
    }
  }

  private void requireNothingForRules() {
    if (functions != null || !keys.files.isEmpty()) {
      throw new IllegalArgumentException(
          "--functions and --anonymise-key are for rules, and there are none: add --rules FILE or"
              + " --rules-topic NAME");
    }
    stages.requireSomethingFor(questDb);
  }

  /** Those of file or topic; until there are some every packet passes. */
  LiveRules liveRules() {
    RulesCheck classes = functions == null ? UserFunctions.none() : UserFunctions.check(functions);
    Set<String> ofResults = resultsTopics().collect(Collectors.toUnmodifiableSet());
    LiveRules live =
        rules.live(
            Pass.unchanged(), kafka, new PlatformRules(keys.read(), classes, topic, ofResults));
    return live.requiring(flows.ofHistograms(live));
  }

  private Stream<String> resultsTopics() {
    return Stream.concat(Stream.of(resultsTopic), stages.topic(Optional.empty()).stream());
  }

  /** Where messages go by the rules that the job begins with. */
  List<WantedTopic> topics(int rings) {
    Stream<String> ofPackets = Stream.of(topic);
    Stream<String> ofResults = stages.topic(Optional.empty()).stream();
    if (rules.isGiven()) {
      ofPackets = Stream.concat(ofPackets, liveRules().topics());
      ofResults =
          Stream.concat(Stream.of(resultsTopic), stages.topic(Optional.of(resultsTopic)).stream());
    }
    return Stream.concat(
            ofPackets.map(name -> WantedTopic.ofPackets(name, rings)),
            ofResults.map(WantedTopic::ofResults))
        .toList();
  }
}
