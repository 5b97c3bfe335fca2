// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.card;

import dev.flowstone.model.abi.CardRuleLayout;
import java.util.List;

/**
 * What a card does of a rule set, and what is left to do: the card knows the first rules of all,
 * and a packet that meets one of them has that one. Its record's traffic class says which: 0 where
 * none of these rules is met, so that those behind them are asked.
 *
 * @param entries the card's table, at most {@link CardRuleLayout#COUNT}
 * @param rulesOnCard rules of the set with a smaller index are the card's
 * @param rulesThatDrop of these, those whose packets the card drops
 */
public record CardPlan(List<CardRule> entries, int rulesOnCard, int rulesThatDrop) {
  public CardPlan {
    entries = List.copyOf(entries);
    if (entries.size() > CardRuleLayout.COUNT) {
      throw new IllegalArgumentException(
          "the card holds " + CardRuleLayout.COUNT + " rules: " + entries.size());
    }
  }

  /** The class of packets that meet a rule of the card's. */
  public static int classOf(int ruleIndex) {
    return ruleIndex + 1;
  }

  /** The index of the rule that a class other than 0 says. */
  public static int ruleOf(int trafficClass) {
    return trafficClass - 1;
  }
}
