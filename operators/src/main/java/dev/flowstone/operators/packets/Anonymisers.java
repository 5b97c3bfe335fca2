// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.packets;

import dev.flowstone.rules.Rule;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** One anonymiser for each key that rules name: each remembers addresses in a megabyte. */
final class Anonymisers {
  private final AnonymisationKeys keys;
  private final Map<String, Anonymiser> byName = new HashMap<>();

  Anonymisers(AnonymisationKeys keys) {
    this.keys = keys;
  }

  /** What changes addresses as a rule says; empty: nothing does. */
  Optional<Anonymiser> of(Rule rule) {
    return AnonymisationKeys.keyName(rule.function())
        .map(
            name -> byName.computeIfAbsent(name, _ -> new Anonymiser(keys.key(name, rule.name()))));
  }
}
