// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.rules;

import dev.flowstone.operators.ruled.RulesCheck;
import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.rules.Rule;
import java.util.regex.Pattern;

/**
 * Limits the Kafka topics that rules may name. The job's Kafka user may write to other topics, too,
 * and the authors of rules must not gain that right.
 *
 * @param allowed matches the whole name of an allowed topic; null: no topic is allowed
 * @param rulesTopic the topic that rules are read from; null: rules are read from a file
 */
record RuleTopics(Pattern allowed, String rulesTopic) implements RulesCheck {
  private static final long serialVersionUID = 1L;
  private static final Pattern ANY = Pattern.compile(".*");

  /**
   * Applies the default: a rules file may name any topic, the messages of a rules topic none.
   *
   * @param allowed null: the default
   */
  static RuleTopics of(Pattern allowed, String rulesTopic) {
    return new RuleTopics(allowed == null && rulesTopic == null ? ANY : allowed, rulesTopic);
  }

  @Override
  public void require(RulesInForce rules) {
    rules.rules().rules().forEach(this::require);
  }

  private void require(Rule rule) {
    if (rule.topic().isEmpty()) {
      return;
    }
    String topic = rule.topic().get();
    if (topic.equals(rulesTopic)) {
      throw new IllegalArgumentException(
          "rule %s: topic %s is the rules topic; name another topic".formatted(rule.name(), topic));
    }
    if (allowed == null || !allowed.matcher(topic).matches()) {
      throw new IllegalArgumentException(
          "rule %s: topic %s is not allowed: %s"
              .formatted(
                  rule.name(),
                  topic,
                  allowed == null
                      ? "with --rules-topic, rules may name only topics that --rule-topics allows"
                      : "--rule-topics allows " + allowed));
    }
  }
}
