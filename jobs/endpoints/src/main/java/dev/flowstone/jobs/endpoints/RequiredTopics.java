// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints;

import dev.flowstone.jobs.entry.JobStart;
import dev.flowstone.offheap.Reason;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * The topics that a job writes to. A producer waits a minute for one that is not there, again and
 * again, and only its log tells for what.
 */
final class RequiredTopics {
  private static final String BROKERS_CREATE = "auto.create.topics.enable";
  private static final String BROKERS_PARTITIONS = "num.partitions";

  private final KafkaOptions options;
  private final Brokers brokers;
  private final JobStart start;

  RequiredTopics(KafkaOptions options, Brokers brokers, JobStart start) {
    this.options = options;
    this.brokers = brokers;
    this.start = start;
  }

  /**
   * Refuses topics that are not there, unless the brokers make them when they are written to. Who
   * may not ask is warned.
   */
  void check(List<WantedTopic> topics) throws InterruptedException {
    List<WantedTopic> missing = new ArrayList<>();
    for (WantedTopic topic : eachOnce(topics)) {
      if (!isThere(topic)) {
        missing.add(topic);
      }
    }
    if (!missing.isEmpty()) {
      requireThatBrokersCreate(missing);
    }
  }

  private static List<WantedTopic> eachOnce(List<WantedTopic> topics) {
    Map<String, Integer> partitions = new LinkedHashMap<>();
    topics.forEach(topic -> partitions.merge(topic.name(), topic.partitions(), Math::max));
    return partitions.entrySet().stream()
        .map(topic -> new WantedTopic(topic.getKey(), topic.getValue()))
        .toList();
  }

  private boolean isThere(WantedTopic wanted) throws InterruptedException {
    String topic = wanted.name();
    try {
      warnOfFew(wanted, brokers.partitions(topic));
      return true;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof InvalidTopicException) {
        throw new IllegalArgumentException(
            "\"%s\" cannot be a topic's name: 1 to 249 letters, digits, . _ -".formatted(topic), e);
      }
      return !(e.getCause() instanceof UnknownTopicOrPartitionException)
          && goOnUnchecked("look at topic " + topic, e);
    } catch (TimeoutException e) {
      return goOnUnchecked("look at topic " + topic, e);
    }
  }

  private void warnOfFew(WantedTopic topic, int partitions) {
    if (partitions < topic.partitions()) {
      start.warn(
          "topic %s has %s for %d rings: packets of several rings share one, and fewer consumers can share the topic; %s gives it more, best before the first packet"
              .formatted(
                  topic.name(), count(partitions), topic.partitions(), tool("alter", topic)));
    }
  }

  private void requireThatBrokersCreate(List<WantedTopic> missing) throws InterruptedException {
    String names = String.join(", ", missing.stream().map(WantedTopic::name).toList());
    String create = String.join("; ", missing.stream().map(each -> tool("create", each)).toList());
    try {
      List<String> willing = brokers.setting(BROKERS_CREATE);
      if (willing.isEmpty() || !willing.stream().allMatch(Boolean::parseBoolean)) {
        throw new IllegalStateException(
            "there is no topic %s at %s: %s".formatted(names, options.bootstrapServers, create));
      }
      start.warn(
          "there is no topic %s yet; Kafka creates it with its own settings (%s %s) unless you do so first: %s"
              .formatted(
                  names,
                  BROKERS_PARTITIONS,
                  brokers.setting(BROKERS_PARTITIONS).stream().findFirst().orElse("?"),
                  create));
    } catch (ExecutionException | TimeoutException e) {
      goOnUnchecked(
          "ask whether Kafka creates topics, and there is no topic %s (%s)"
              .formatted(names, create),
          e);
    }
  }

  private boolean goOnUnchecked(String what, Exception e) {
    start.warn("cannot %s: %s".formatted(what, Reason.ofRoot(e)));
    return true;
  }

  private String tool(String verb, WantedTopic topic) {
    int partitions = topic.partitions();
    return "./flowstone broker topics %s %s --bootstrap-servers %s%s --partitions %s"
        .formatted(
            verb,
            topic.name(),
            options.bootstrapServers,
            options.propertiesFile == null ? "" : " --kafka-properties " + options.propertiesFile,
            partitions == 0 ? "N (as many as the tap has rings)" : Integer.toString(partitions));
  }

  private static String count(int partitions) {
    return partitions == 1 ? "1 partition" : partitions + " partitions";
  }
}
