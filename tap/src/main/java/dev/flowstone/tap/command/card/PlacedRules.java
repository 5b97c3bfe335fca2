// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.card;

import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.card.CardPlan;
import dev.flowstone.rules.card.CardPlanner;
import dev.flowstone.rules.yaml.RulesYaml;
import dev.flowstone.tap.card.CardRuleTable;
import java.nio.file.Path;

/**
 * Rules, as many on the card as it has room for.
 *
 * @param onCard the first so many are decided there
 * @param dropping of these
 * @param leftToJobs the others
 */
record PlacedRules(CardRuleTable table, int onCard, int dropping, int leftToJobs) {
  static final PlacedRules NONE = new PlacedRules(CardRuleTable.EMPTY, 0, 0, 0);

  /** Of a rules file. */
  static PlacedRules parse(byte[] text, Path file) {
    RuleSet rules = RulesYaml.read(text, file.toString());
    CardPlan plan = CardPlanner.plan(rules);
    return new PlacedRules(
        new CardRuleTable(plan.entries()),
        plan.rulesOnCard(),
        plan.rulesThatDrop(),
        rules.size() - plan.rulesOnCard());
  }

  /** For people. */
  @Override
  public String toString() {
    return "the first %d of %d rules are on the card, %d of these drop there; the others are left to jobs"
        .formatted(onCard, onCard + leftToJobs, dropping);
  }
}
