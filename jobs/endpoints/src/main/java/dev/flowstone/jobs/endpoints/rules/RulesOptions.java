// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.rules;

import dev.flowstone.jobs.endpoints.AllowedTopic;
import dev.flowstone.jobs.endpoints.KafkaOptions;
import dev.flowstone.jobs.endpoints.TopicsOfRules;
import dev.flowstone.operators.ruled.FileWatch;
import dev.flowstone.operators.ruled.LiveRules;
import dev.flowstone.operators.ruled.RulesCheck;
import dev.flowstone.operators.ruled.RulesText;
import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.TextFile;
import dev.flowstone.rules.function.ServiceFunction;
import dev.flowstone.rules.yaml.RulesYaml;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** Which rules a job goes by. */
public final class RulesOptions {
  private static final long FIRST_VERSION = 1;

  @Option(
      names = "--rules",
      paramLabel = "FILE",
      description =
          "Rules file: which packets, and what becomes of them. Read where the job is submitted, and"
              + " again whenever it changes where the JobManager runs.")
  public Path file;

  @Option(
      names = "--rules-topic",
      paramLabel = "NAME",
      description =
          "Kafka topic of one partition whose newest good message is a rules file; until there is one,"
              + " --rules or the job's own options count.")
  public String topic;

  @Option(
      names = "--rule-topics",
      paramLabel = "REGEX",
      description =
          "Kafka topics that rules may name: a regular expression that matches the whole name. The"
              + " rules topic is never allowed. Default: any topic for --rules, no topic with"
              + " --rules-topic.")
  public Pattern ruleTopics;

  /** The file as it was when it was first read: a job runs with the rules that it checked. */
  private String text;

  /** Whether anything but the job's own options says what becomes of packets. */
  public boolean isGiven() {
    return file != null || topic != null;
  }

  /**
   * Throws if the job writes to the rules topic.
   *
   * @param written the topics that the job's own options name
   */
  public void requireOwnTopic(Stream<String> written) {
    if (topic == null) {
      return;
    }
    AllowedTopic.require("--rules-topic", topic);
    if (written.anyMatch(topic::equals)) {
      throw new IllegalArgumentException(
          "--rules-topic: the job writes to topic " + topic + "; use another topic for rules");
    }
  }

  /**
   * The rules.
   *
   * @param usual what becomes of every packet without rules
   * @param check what the job asks of rules
   * @throws IllegalArgumentException if they cannot be read or are not such; the message says where
   */
  public LiveRules live(ServiceFunction usual, KafkaOptions kafka, RulesCheck check) {
    RulesCheck all = check.and(RuleTopics.of(ruleTopics, topic));
    LiveRules rules = LiveRules.fixed(submitted(usual), all).needing(TopicsOfRules.at(kafka));
    if (topic != null) {
      return rules.watching(RulesTopicWatch.of(topic, kafka));
    }
    return file == null ? rules : rules.watching(FileWatch.of(file));
  }

  private RulesText submitted(ServiceFunction usual) {
    if (file == null) {
      RuleSet every =
          RuleSet.of(List.of(), RuleSet.defaultRule(usual, Optional.empty(), Optional.empty()));
      return new RulesText(FIRST_VERSION, "the job's options", RulesYaml.write(every));
    }
    try {
      if (text == null) {
        text = TextFile.decode(TextFile.read(file), file.toString());
      }
      return new RulesText(FIRST_VERSION, file.toString(), text);
    } catch (IOException e) {
      throw new IllegalArgumentException("--rules: " + e.getMessage(), e);
    }
  }
}
