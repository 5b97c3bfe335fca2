// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import dev.flowstone.results.RuleTag;
import dev.flowstone.rules.function.ServiceFunction;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * The rules of a function, by the number under which it keeps state. Results of a rule may leave
 * after the rule, so the latest {@value #MAX_FORMER} rules that are no longer active are kept.
 */
public final class KnownRules {
  private static final int MAX_FORMER = 1 << 14;

  private record Known(RuleTag tag, ServiceFunction function) {}

  /** Those that were active last are at the end. */
  private final SequencedMap<Long, Known> rules = new LinkedHashMap<>();

  private final int maxFormer;
  private RulesInForce inForce;

  /**
   * Knows those of blocks without rules: after a restart, results of such flows may leave before
   * the first block.
   */
  public KnownRules() {
    this(MAX_FORMER);
  }

  KnownRules(int maxFormer) {
    this.maxFormer = maxFormer;
    know(RuledBlock.NONE);
  }

  /** Whether these are others than before; asked of each block. */
  public boolean hear(RulesInForce now) {
    if (now == inForce) {
      return false;
    }
    inForce = now;
    know(now);
    return true;
  }

  private void know(RulesInForce now) {
    for (int rule = 0; rule < now.size(); rule++) {
      rules.putLast(now.id(rule), new Known(now.tag(rule), now.function(rule)));
    }
    while (rules.size() - now.size() > maxFormer) {
      rules.pollFirstEntry();
    }
  }

  /** Whether it is active, or one of the former rules that are kept. */
  public boolean isKnown(long id) {
    return rules.containsKey(id);
  }

  /** What results say; of a rule that is not known, its number. */
  public RuleTag tag(long id) {
    Known known = rules.get(id);
    return known == null ? RuleTag.of("rule-" + Long.toHexString(id)) : known.tag();
  }

  public Optional<ServiceFunction> function(long id) {
    return Optional.ofNullable(rules.get(id)).map(Known::function);
  }
}
