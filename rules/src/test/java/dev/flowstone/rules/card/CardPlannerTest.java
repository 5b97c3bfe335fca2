// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.card;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.abi.CardRuleLayout;
import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.yaml.RulesYaml;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How much of the card's room rules take. */
class CardPlannerTest {
  private static CardPlan plan(String rules) {
    String text = "default: {function: pass}\nrules:\n" + rules;
    RuleSet set = RulesYaml.read(text.getBytes(StandardCharsets.UTF_8), "test");
    return CardPlanner.plan(set);
  }

  private static int entriesOf(String match) {
    return plan("  - {name: one, match: {" + match + "}, function: pass}\n").entries().size() - 1;
  }

  @Test
  void shouldNeedOneEntryForWhatNeedsNoMore() {
    assertThat(entriesOf("protocol: tcp, destination_port: 443")).isEqualTo(1);
    assertThat(entriesOf("tcp_flags: syn and not ack")).isEqualTo(1);
    assertThat(entriesOf("destination: \"2001:db8::/32\"")).isEqualTo(1);
    assertThat(entriesOf("ip: none")).isEqualTo(1);
  }

  /** An IPv6 packet may have addresses that look like IPv4's. */
  @Test
  void shouldTellIpv4FromIpv6() {
    assertThat(entriesOf("destination: 192.0.2.0/24")).isEqualTo(2);
  }

  @Test
  void shouldTakeARangeOfPortsByItsPrefixes() {
    assertThat(entriesOf("protocol: udp, destination_port: 1024-65535")).isEqualTo(6);
    assertThat(entriesOf("protocol: udp, destination_port: 0-65535")).isEqualTo(1);
    assertThat(entriesOf("protocol: udp, destination_port: 1-6")).isEqualTo(4);
  }

  @Test
  void shouldTakeTheFirstRulesThatFit() {
    String rules =
        IntStream.range(0, 40)
            .mapToObj(
                i ->
                    "  - {name: r%d, match: {protocol: tcp, destination_port: %d}, %s}%n"
                        .formatted(i, 1000 + i, i % 2 == 0 ? "function: drop" : "function: pass"))
            .collect(Collectors.joining());
    CardPlan plan = plan(rules);
    assertThat(plan.entries()).hasSize(CardRuleLayout.COUNT);
    assertThat(plan.rulesOnCard()).isEqualTo(31);
    assertThat(plan.rulesThatDrop()).isEqualTo(16);
    assertThat(plan.entries().getFirst().drops()).isTrue();
    assertThat(plan.entries().get(1).drops()).isFalse();
  }

  /** A later one that would fit could take packets that are this one's. */
  @Test
  void shouldStopAtARuleForWhichThereIsNoRoom() {
    CardPlan plan =
        plan(
            """
              - {name: first, match: {protocol: tcp}, function: drop}
              - {name: wide, match: {source_port: 1-65534, destination_port: 1-65534}, function: pass}
              - {name: last, match: {protocol: udp}, function: drop}
            """);
    assertThat(plan.rulesOnCard()).isEqualTo(1);
    assertThat(plan.entries()).hasSize(1);
  }
}
