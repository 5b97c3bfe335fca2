// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import dev.flowstone.operators.ruled.RulesText;
import dev.flowstone.rules.Match;
import dev.flowstone.rules.Rule;
import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.function.Histogram;
import dev.flowstone.rules.function.Histogram.Measure;
import dev.flowstone.rules.function.Histogram.Per;
import dev.flowstone.rules.function.Pass;
import dev.flowstone.rules.function.PrefixLengths;
import dev.flowstone.rules.yaml.RulesYaml;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Rules as tests want them. */
final class HistogramRules {
  static final long MS = 1_000_000;

  private HistogramRules() {}

  /** Rules "0", "1" and so on, in this order, and a default that lets packets pass. */
  static RulesText of(Histogram... functions) {
    return of(1, Optional.empty(), functions);
  }

  /** The same as a version of its own, whose results go to a topic. */
  static RulesText of(long version, Optional<String> topic, Histogram... functions) {
    List<Rule> rules = new ArrayList<>();
    for (Histogram function : functions) {
      rules.add(
          new Rule(
              "" + rules.size(),
              functions.length - rules.size(),
              Match.EVERY,
              function,
              topic,
              Optional.empty()));
    }
    RuleSet all =
        RuleSet.of(
            rules, RuleSet.defaultRule(Pass.unchanged(), Optional.empty(), Optional.empty()));
    return new RulesText(version, "test", RulesYaml.write(all));
  }

  /** As much as these rules need. */
  static HistogramRoom room(RulesText rules) {
    return HistogramRoom.of(rules.read().rules());
  }

  static Histogram histogram(
      Per per, Set<Measure> of, long lowestNs, long highestNs, int digits, long intervalNs) {
    return new Histogram(
        of, per, PrefixLengths.USUAL, lowestNs, highestNs, digits, Duration.ofNanos(intervalNs));
  }
}
