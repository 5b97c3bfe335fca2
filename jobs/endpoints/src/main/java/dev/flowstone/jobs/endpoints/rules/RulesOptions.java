// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.rules;

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

  /** Whether anything but the job's own options says what becomes of packets. */
  public boolean isGiven() {
    return file != null || topic != null;
  }

  /**
   * The rules.
   *
   * @param usual what becomes of every packet without rules
   * @param check what the job asks of rules
   * @throws IllegalArgumentException if they cannot be read or are not such; the message says where
   */
  public LiveRules live(ServiceFunction usual, KafkaOptions kafka, RulesCheck check) {
    LiveRules rules = LiveRules.fixed(submitted(usual), check).needing(TopicsOfRules.at(kafka));
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
      String text = TextFile.decode(TextFile.read(file), file.toString());
      return new RulesText(FIRST_VERSION, file.toString(), text);
    } catch (IOException e) {
      throw new IllegalArgumentException("--rules: " + e.getMessage(), e);
    }
  }
}
