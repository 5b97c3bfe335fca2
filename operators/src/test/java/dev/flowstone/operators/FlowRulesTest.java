// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.operators.ruled.RuledBlock;
import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.operators.ruled.RulesText;
import dev.flowstone.results.RuleTag;
import java.util.List;
import org.junit.jupiter.api.Test;

class FlowRulesTest {
  private static final int MAX_FORMER = 3;
  private static final FlowTimeouts DEFAULTS = new FlowTimeouts(60, 15);
  private static final FlowTimeouts OTHERS = new FlowTimeouts(2, 1);

  private final FlowRules rules = new FlowRules(DEFAULTS, MAX_FORMER);

  private static RulesInForce only(String name) {
    return new RulesText(1, "test", "rules: [{name: %s, function: pass}]".formatted(name)).read();
  }

  /** A rule that has a packet, and is replaced by the next; returns its ID. */
  private long pass(String name) {
    RulesInForce now = only(name);
    rules.activate(now);
    rules.keep(0);
    return now.id(0);
  }

  @Test
  void shouldForgetThoseThatLeftFirst() {
    long stays = pass("stays");
    long first = pass("first");
    long second = pass("second");
    for (int former = 1; former < MAX_FORMER; former++) {
      rules.activate(only("stays"));
      pass("later-" + former);
    }
    assertThat(rules.tag(stays).name()).isEqualTo("stays");
    assertThat(rules.tag(first).name()).startsWith("rule-");
    assertThat(rules.tag(second).name()).isEqualTo("second");
  }

  /** A set may have thousands of rules without flow records. */
  @Test
  void shouldKeepNoRuleThatHadNoPacket() {
    RulesInForce unused = only("unused");
    rules.activate(unused);
    assertThat(rules.all()).extracting(FlowRule::id).doesNotContain(unused.id(0));
    assertThat(rules.tag(unused.id(0)).name())
        .as("of flows of an earlier version")
        .isEqualTo("unused");
    rules.activate(only("another"));
    assertThat(rules.tag(unused.id(0)).name()).startsWith("rule-");
  }

  @Test
  void shouldForgetRestoredRulesFirst() {
    FlowRule restored = new FlowRule(7, RuleTag.of("restored"), OTHERS);
    rules.restore(List.of(restored));
    assertThat(rules.idleNs(7)).isEqualTo(OTHERS.idleNs());
    assertThat(rules.all()).contains(restored);
    for (int former = 1; former < MAX_FORMER; former++) {
      pass("later-" + former);
    }
    assertThat(rules.tag(7).name()).isEqualTo("restored");
    pass("last");
    rules.activate(only("another"));
    assertThat(rules.tag(7).name()).isEqualTo("rule-7");
    assertThat(rules.idleNs(7)).isEqualTo(DEFAULTS.idleNs());
  }

  /** A job may be restored with other default timeouts. */
  @Test
  void shouldRestoreNothingInPlaceOfAnActiveRule() {
    long id = RuledBlock.NONE.id(0);
    rules.restore(List.of(new FlowRule(id, RuleTag.of("former"), OTHERS)));
    assertThat(rules.idleNs(id)).isEqualTo(DEFAULTS.idleNs());
    assertThat(rules.tag(id)).isEqualTo(RuledBlock.NONE.tag(0));
    assertThat(rules.all()).extracting(FlowRule::timeouts).containsExactly(DEFAULTS);
  }
}
