// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.sampling;

import dev.flowstone.jobs.endpoints.AllowedRange;
import dev.flowstone.jobs.endpoints.AllowedTopic;
import dev.flowstone.jobs.endpoints.KafkaOptions;
import dev.flowstone.jobs.endpoints.KeyOptions;
import dev.flowstone.jobs.endpoints.PacketBatchOptions;
import dev.flowstone.jobs.endpoints.RingOptions;
import dev.flowstone.jobs.endpoints.WantedTopic;
import dev.flowstone.jobs.endpoints.questdb.QuestDbOptions;
import dev.flowstone.jobs.endpoints.rules.RulesOptions;
import dev.flowstone.jobs.endpoints.stages.StageOptions;
import dev.flowstone.operators.packets.AnonymisationKeys;
import dev.flowstone.operators.ruled.LiveRules;
import dev.flowstone.rules.Rule;
import dev.flowstone.rules.function.Drop;
import dev.flowstone.rules.function.Pass;
import dev.flowstone.rules.function.Sample;
import dev.flowstone.rules.function.Sample.By;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What the job can be told: how to sample every packet, or a file of rules. */
public final class SamplingOptions {
  private static final long NO_SEED = 0;

  @Mixin public RingOptions rings = new RingOptions();

  @Option(
      names = "--name",
      paramLabel = "NAME",
      defaultValue = SamplingCommand.NAME,
      description =
          "What this job is called; two jobs on the same rings or brokers must differ. Default"
              + " ${DEFAULT-VALUE}.")
  public String name = SamplingCommand.NAME;

  @Option(
      names = "--topic",
      paramLabel = "NAME",
      defaultValue = "samples",
      description =
          "Topic of the packet batches whose rule names no other; it wants one partition for each"
              + " ring. Default ${DEFAULT-VALUE}.")
  public String topic = "samples";

  @Option(
      names = "--one-in",
      paramLabel = "N",
      description = "One of so many packets goes on, with the weight N. This or --rules.")
  public Integer oneIn;

  @Option(
      names = "--by",
      paramLabel = "packets|flows|random",
      description =
          "packets: the first of each ring, then every Nth; flows: all packets of one in N flows, in"
              + " both directions; random: each packet with the same chance. Default packets.")
  public By by;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Of --by random: the same seed chooses the same packets. Default 0.")
  public Long seed;

  @Option(
      names = "--keep-syn-fin-rst",
      description =
          "All TCP packets that open or end a connection go on, too, in batches of weight 1.")
  public boolean keepSynFinRst;

  @Option(
      names = "--anonymise",
      paramLabel = "NAME",
      description =
          "Gives packets other addresses under the key of this name; addresses that share a prefix"
              + " share one of the same length afterwards.")
  public String anonymise;

  @Mixin public KeyOptions keys = new KeyOptions();

  @Mixin public RulesOptions rules = new RulesOptions();

  @Mixin public KafkaOptions kafka = new KafkaOptions();

  @Mixin public PacketBatchOptions batches = new PacketBatchOptions();

  @Mixin public QuestDbOptions questDb = new QuestDbOptions();

  @Mixin public StageOptions stages = new StageOptions();

  /** Throws for a value that makes no sense, by the name of its option. */
  void requireSense() {
    AllowedTopic.require("--topic", topic);
    batches.requireSense();
    kafka.requireSense();
    questDb.requireSense();
    rings.requireSense();
    stages.requireSense(topic);
    stages.requireSomethingFor(questDb);
    rules.requireOwnTopic(Stream.concat(Stream.of(topic), stages.topic(Optional.empty()).stream()));
    liveRules();
  }

  /** Those of file or topic, or one for every packet. */
  LiveRules liveRules() {
    requireOneWayToSay();
    AnonymisationKeys given = keys.read();
    return rules.live(
        oneIn == null ? Pass.unchanged() : sample(),
        kafka,
        asked -> {
          asked.rules().rules().forEach(SamplingOptions::requirePackets);
          given.require(asked.rules());
        });
  }

  /** Where messages go by the rules that the job begins with. */
  List<WantedTopic> topics(int rings) {
    return Stream.concat(
            Stream.concat(Stream.of(topic), liveRules().topics())
                .map(name -> WantedTopic.ofPackets(name, rings)),
            stages.topic(Optional.empty()).stream().map(WantedTopic::ofResults))
        .toList();
  }

  private void requireOneWayToSay() {
    if (!rules.isGiven() && oneIn == null) {
      throw new IllegalArgumentException(
          "say what to sample: --one-in N, such as --one-in 100, or --rules FILE");
    }
    boolean isSampleTold =
        oneIn != null || by != null || seed != null || keepSynFinRst || anonymise != null;
    if (rules.file != null && isSampleTold) {
      throw new IllegalArgumentException(
          "--rules says how to sample: leave out --one-in, --by, --seed, --keep-syn-fin-rst and"
              + " --anonymise, or leave out --rules");
    }
  }

  private Sample sample() {
    AllowedRange.require("--one-in", oneIn, 1, Sample.MOST_ONE_IN);
    By chosenBy = by == null ? By.PACKETS : by;
    if (seed != null && chosenBy != By.RANDOM) {
      throw new IllegalArgumentException("--seed is for --by random");
    }
    return new Sample(
        oneIn,
        chosenBy,
        seed == null ? NO_SEED : seed,
        keepSynFinRst,
        Optional.ofNullable(anonymise));
  }

  private static void requirePackets(Rule rule) {
    switch (rule.function()) {
      case Pass _, Sample _, Drop _ -> {}
      default ->
          throw new IllegalArgumentException(
              "rule %s: this job knows sample, pass and drop, not %s"
                  .formatted(rule.name(), rule.function().name()));
    }
  }
}
