// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.stages;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RuleLabelsTest {
  @Test
  void shouldCountLaterRulesTogether() {
    RuleLabels labels = new RuleLabels();
    for (int rule = 0; rule < RuleLabels.MAX_NAMES; rule++) {
      assertThat(labels.of("rule-" + rule)).isEqualTo("rule-" + rule);
    }
    assertThat(labels.of("later")).isEqualTo(RuleLabels.OTHERS);
    assertThat(labels.of("rule-0")).isEqualTo("rule-0");
  }
}
