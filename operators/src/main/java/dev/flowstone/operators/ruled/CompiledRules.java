// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import dev.flowstone.rules.classify.Classifier;

/** Rules with what finds a packet's rule among them. To make it takes seconds for large sets. */
record CompiledRules(RulesInForce rules, Classifier classifier) {
  static CompiledRules of(RulesText text) {
    RulesInForce rules = text.read();
    return new CompiledRules(rules, Classifier.of(rules.rules()));
  }
}
