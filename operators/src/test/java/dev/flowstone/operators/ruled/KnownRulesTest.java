// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class KnownRulesTest {
  private static final int MAX_FORMER = 3;

  private final KnownRules rules = new KnownRules(MAX_FORMER);

  private static RulesInForce only(String name) {
    return new RulesText(1, "test", "rules: [{name: %s, function: pass}]".formatted(name)).read();
  }

  /** A rule that is replaced by the next; returns its number. */
  private long pass(String name) {
    RulesInForce now = only(name);
    rules.hear(now);
    return now.id(0);
  }

  @Test
  void shouldForgetThoseThatLeftFirst() {
    RulesInForce stays = only("stays");
    rules.hear(stays);
    long first = pass("first");
    long second = pass("second");
    for (int former = 1; former < MAX_FORMER; former++) {
      rules.hear(stays);
      pass("later-" + former);
    }
    assertThat(rules.isKnown(stays.id(0))).isTrue();
    assertThat(rules.isKnown(first)).isFalse();
    assertThat(rules.tag(first).name()).startsWith("rule-");
    assertThat(rules.tag(second).name()).isEqualTo("second");
    assertThat(rules.function(second)).isPresent();
  }
}
