// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.packets;

import dev.flowstone.blocks.RuleMark;
import dev.flowstone.blocks.WeightedBlock;
import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.results.RuleTag;
import dev.flowstone.rules.function.Pass;
import dev.flowstone.rules.function.Sample;
import java.util.Optional;

/**
 * What becomes of the packets of one rule.
 *
 * @param weight of packets that were chosen
 * @param keepsConnections whether packets that open or end a connection all go on, unweighted and
 *     uncounted
 */
record RuleChoice(
    RuleMark mark,
    Choice choice,
    int weight,
    boolean keepsConnections,
    Optional<Anonymiser> anonymiser,
    RuleCounters counters) {

  /** Empty for rules that do something else with packets. */
  static Optional<RuleChoice> of(
      RulesInForce rules,
      int rule,
      StreamCounts counts,
      Anonymisers anonymisers,
      RuleCounters.Registry counters) {
    Choice choice;
    int weight = WeightedBlock.UNSAMPLED;
    boolean keepsConnections = false;
    switch (rules.function(rule)) {
      case Pass _ -> choice = new Choice.Every();
      case Sample sample -> {
        choice = Choice.of(sample, rules.id(rule), counts);
        weight = sample.oneIn();
        keepsConnections = sample.keepSynFinRst();
      }
      default -> {
        return Optional.empty();
      }
    }
    return Optional.of(
        new RuleChoice(
            mark(rules, rule),
            choice,
            weight,
            keepsConnections,
            anonymisers.of(rules.rules().rules().get(rule)),
            counters.of(rules.tag(rule).name())));
  }

  private static RuleMark mark(RulesInForce rules, int rule) {
    RuleTag tag = rules.tag(rule);
    return new RuleMark(rule + 1, tag.name(), tag.topic());
  }
}
