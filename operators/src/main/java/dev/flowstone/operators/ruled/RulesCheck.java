// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import java.io.Serializable;

/** What a job asks of rules beyond what a rules file may say: keys, classes, room for state. */
@FunctionalInterface
public interface RulesCheck extends Serializable {
  /**
   * Returns if the job can do what these rules ask.
   *
   * @throws IllegalArgumentException if not; the message names rule, reason and remedy
   */
  void require(RulesInForce rules);

  /** Both this and another. */
  default RulesCheck and(RulesCheck other) {
    return rules -> {
      require(rules);
      other.require(rules);
    };
  }
}
