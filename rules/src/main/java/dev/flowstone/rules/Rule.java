// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules;

import dev.flowstone.rules.function.ServiceFunction;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Which packets, and what becomes of them.
 *
 * @param name unique in its set; goes into topics' headers, metrics and alerts
 * @param priority the higher one wins
 * @param topic Kafka topic of what the function gives; empty: the job's for packets or for results
 * @param flowId a number that results carry, for whoever numbers flows
 */
public record Rule(
    String name,
    int priority,
    Match match,
    ServiceFunction function,
    Optional<String> topic,
    Optional<Long> flowId) {

  public static final long MOST_FLOW_ID = 0xffff_ffffL;
  public static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

  /** As Kafka has it. */
  public static final Pattern TOPIC = Pattern.compile("[A-Za-z0-9._-]{1,249}");

  /** Internal topics of Kafka, such as {@code __consumer_offsets}, begin with it. */
  private static final String INTERNAL_TOPIC_PREFIX = "__";

  public Rule {
    requireName(name);
    if (priority < 0) {
      throw new IllegalArgumentException("priority must be 0 or more: " + priority);
    }
    topic.ifPresent(Rule::requireTopic);
    function.requireFedBy(match);
    flowId.ifPresent(
        id -> {
          if (id < 0 || id > MOST_FLOW_ID) {
            throw new IllegalArgumentException("flow id must be 0 to 4294967295: " + id);
          }
        });
  }

  /** The name; throws if it is none. */
  public static String requireName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "a rule's name has 1 to 64 letters, digits, dots, hyphens and underscores and begins"
              + " with a letter or digit: "
              + name);
    }
    return name;
  }

  /** The topic; throws if Kafka would not take it. */
  public static String requireTopic(String topic) {
    if (!TOPIC.matcher(topic).matches() || topic.equals(".") || topic.equals("..")) {
      throw new IllegalArgumentException(
          "a topic's name has 1 to 249 letters, digits, dots, hyphens and underscores: " + topic);
    }
    if (topic.startsWith(INTERNAL_TOPIC_PREFIX)) {
      throw new IllegalArgumentException(
          "topic names that begin with __ are reserved for Kafka: " + topic);
    }
    return topic;
  }
}
