// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.classify;

import dev.flowstone.rules.Match;
import dev.flowstone.rules.Rule;
import dev.flowstone.rules.RuleSet;
import java.lang.foreign.MemorySegment;

/** What {@link Classifier} must find, one rule after the other: its model in tests and measure. */
public final class FirstMatch {
  private final Match[] matches;

  private FirstMatch(RuleSet rules) {
    matches = rules.rules().stream().map(Rule::match).toArray(Match[]::new);
  }

  public static FirstMatch of(RuleSet rules) {
    return new FirstMatch(rules);
  }

  /** The index of the first rule that matches; the last one does. */
  public int classify(MemorySegment records, long offsetBytes) {
    int rule = 0;
    while (!matches[rule].matches(records, offsetBytes)) {
      rule++;
    }
    return rule;
  }
}
