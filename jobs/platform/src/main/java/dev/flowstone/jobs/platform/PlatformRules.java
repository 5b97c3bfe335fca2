// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.platform;

import dev.flowstone.operators.packets.AnonymisationKeys;
import dev.flowstone.operators.ruled.FunctionKind;
import dev.flowstone.operators.ruled.RulesCheck;
import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.rules.Rule;
import dev.flowstone.rules.RuleSet;
import java.util.Set;

/**
 * What the job asks of rules: keys and classes that it was given, and one kind of message in each
 * of its topics.
 *
 * @param classes what is asked of rules that name one
 */
record PlatformRules(
    AnonymisationKeys keys, RulesCheck classes, String packetsTopic, Set<String> resultsTopics)
    implements RulesCheck {
  private static final long serialVersionUID = 1L;

  @Override
  public void require(RulesInForce asked) {
    keys.require(asked.rules());
    classes.require(asked);
    requireTopics(asked.rules());
  }

  private void requireTopics(RuleSet rules) {
    for (Rule rule : rules.rules()) {
      boolean givesPackets = FunctionKind.of(rule.function()) == FunctionKind.PASS;
      Set<String> taken = givesPackets ? resultsTopics : Set.of(packetsTopic);
      if (rule.topic().filter(taken::contains).isPresent()) {
        throw new IllegalArgumentException(
            "rule %s: topic %s takes the job's %s, and %s gives %s: name another one"
                .formatted(
                    rule.name(),
                    rule.topic().orElseThrow(),
                    givesPackets ? "results" : "packets",
                    rule.function().name(),
                    givesPackets ? "packets" : "results"));
      }
    }
  }
}
