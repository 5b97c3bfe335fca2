// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.card;

import dev.flowstone.tap.card.CardRuleTable;

/**
 * A set of rules between cards and jobs.
 *
 * @param table what cards hold
 * @param onCard how many rules that is
 * @param leftToJobs how many it is not
 */
record PlacedRules(CardRuleTable table, int onCard, int leftToJobs) {
  static final PlacedRules NONE = new PlacedRules(CardRuleTable.EMPTY, 0, 0);
}
