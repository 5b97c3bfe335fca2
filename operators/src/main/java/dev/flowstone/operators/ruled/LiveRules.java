// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import java.io.Serializable;
import java.util.Optional;

/**
 * Rules of a job: those it was submitted with, and where others may come from while it runs.
 *
 * @param watch empty: these rules stay
 * @param check what else the job asks of rules
 */
public record LiveRules(RulesText submitted, Optional<RulesWatch> watch, RulesCheck check)
    implements Serializable {

  /** Rules that stay. */
  public static LiveRules fixed(RulesText rules) {
    return new LiveRules(rules, Optional.empty(), _ -> {});
  }
}
