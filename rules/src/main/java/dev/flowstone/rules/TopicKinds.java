// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules;

import dev.flowstone.rules.function.ServiceFunction.Output;
import java.util.HashMap;
import java.util.Map;

/** What each topic is given: packets or results, for whoever reads one expects the one form. */
public final class TopicKinds {
  private final Map<String, Rule> first = new HashMap<>();

  /** The rule; throws if its topic is given something else by a rule before. */
  public Rule add(Rule rule) {
    if (rule.topic().isEmpty() || rule.function().output() == Output.NOTHING) {
      return rule;
    }
    Rule other = first.putIfAbsent(rule.topic().get(), rule);
    if (other != null && other.function().output() != rule.function().output()) {
      throw new IllegalArgumentException(
          "topic %s is given %s by %s and %s by %s; name another for one of them"
              .formatted(
                  rule.topic().get(),
                  other.function().output().words(),
                  other.name(),
                  rule.function().output().words(),
                  rule.name()));
    }
    return rule;
  }
}
