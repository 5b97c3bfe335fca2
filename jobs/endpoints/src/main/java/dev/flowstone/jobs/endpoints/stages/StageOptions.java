// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.stages;

import dev.flowstone.commandline.DurationConverter;
import dev.flowstone.jobs.endpoints.AllowedRange;
import dev.flowstone.jobs.endpoints.AllowedTopic;
import dev.flowstone.jobs.endpoints.questdb.QuestDbOptions;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Where a job tells what its stages count. */
public final class StageOptions {
  private static final Duration USUAL_INTERVAL = Duration.ofSeconds(10);
  private static final Duration LONGEST_INTERVAL = Duration.ofHours(1);

  @Option(
      names = "--stages-topic",
      paramLabel = "NAME",
      description =
          "Topic of what each stage of this job counts, as JSON of the kind \"stage\". Default: that"
              + " of its results; a job that has none tells Kafka nothing.")
  public String topic;

  @Option(
      names = "--stages-interval",
      paramLabel = "DURATION",
      defaultValue = "10 s",
      converter = DurationConverter.class,
      description = "How often, by the host's clock; 0 s: never. Default ${DEFAULT-VALUE}.")
  public Duration interval = USUAL_INTERVAL;

  /** Throws for a value that makes no sense, by the name of its option. */
  public void requireSense() {
    if (!interval.isZero()) {
      AllowedRange.require("--stages-interval", interval, Duration.ofSeconds(1), LONGEST_INTERVAL);
    }
    if (topic != null) {
      AllowedTopic.require("--stages-topic", topic);
    }
  }

  /**
   * The same for a job that sends packets.
   *
   * @param packetsTopic that takes nothing else
   */
  public void requireSense(String packetsTopic) {
    requireSense();
    if (packetsTopic.equals(topic)) {
      throw new IllegalArgumentException(
          "--stages-topic and --topic are both " + topic + ": packets need a topic of their own");
    }
  }

  /** Throws if a job without results was told of a QuestDB for which it then has nothing. */
  public void requireSomethingFor(QuestDbOptions questDb) {
    if (questDb.isGiven() && interval.isZero()) {
      throw new IllegalArgumentException(
          "--questdb gets what the stages count, as there are no results, and --stages-interval 0 s"
              + " tells nothing: leave one of them out");
    }
  }

  /**
   * Which topic they go to.
   *
   * @param ofResults the topic of the job's results, if it has any
   */
  public Optional<String> topic(Optional<String> ofResults) {
    return interval.isZero() ? Optional.empty() : Optional.ofNullable(topic).or(() -> ofResults);
  }
}
