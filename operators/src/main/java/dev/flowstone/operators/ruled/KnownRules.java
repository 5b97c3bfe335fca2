// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import dev.flowstone.results.RuleTag;
import dev.flowstone.rules.function.ServiceFunction;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The rules that a function has heard of, by the number under which it keeps state. Those that are
 * no longer in force stay: what was begun under them ends.
 */
public final class KnownRules {
  private record Known(RuleTag tag, ServiceFunction function) {}

  private final Map<Long, Known> rules = new HashMap<>();
  private RulesInForce inForce;

  /**
   * Knows those of blocks without rules: after a restart, results of such flows may leave before
   * the first block.
   */
  public KnownRules() {
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
      rules.put(now.id(rule), new Known(now.tag(rule), now.function(rule)));
    }
  }

  /** What results say; of a rule that left before this subtask began, its number. */
  public RuleTag tag(long id) {
    Known known = rules.get(id);
    return known == null ? RuleTag.of("rule-" + Long.toHexString(id)) : known.tag();
  }

  public Optional<ServiceFunction> function(long id) {
    return Optional.ofNullable(rules.get(id)).map(Known::function);
  }
}
