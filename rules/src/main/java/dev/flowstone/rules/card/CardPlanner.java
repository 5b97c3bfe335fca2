// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.card;

import dev.flowstone.model.abi.CardRuleLayout;
import dev.flowstone.rules.Rule;
import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.function.Drop;
import java.util.ArrayList;
import java.util.List;

/**
 * Chooses which rules of a set a card takes: as many of the first ones as it has room for. With a
 * rule left out in between, packets of that one could have a later one on the card, and the set
 * another meaning.
 */
public final class CardPlanner {
  private CardPlanner() {}

  /** The plan for a set. */
  public static CardPlan plan(RuleSet rules) {
    List<CardRule> entries = new ArrayList<>();
    int taken = 0;
    int dropping = 0;
    for (Rule rule : rules.rules()) {
      if (CardPlan.classOf(taken) > CardRuleLayout.TRAFFIC_CLASS_MASK) {
        break;
      }
      int room = CardRuleLayout.COUNT - entries.size();
      boolean drops = rule.function() instanceof Drop;
      List<CardRule> more = MatchEntries.of(rule.match(), CardPlan.classOf(taken), drops, room);
      if (more.size() > room) {
        break;
      }
      entries.addAll(more);
      taken++;
      dropping += drops ? 1 : 0;
    }
    return new CardPlan(entries, taken, dropping);
  }
}
