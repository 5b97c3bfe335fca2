// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.operators.ruled.RulesText;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Nobody sees by flow records whether flows leave memory. */
class EvictionPropertyTest {
  private static final int BLOCKS_PER_OTHER_RULE = 400;
  private static final RulesInForce RULES =
      new RulesText(
              1,
              "test",
              """
              rules:
                - name: other
                  match: {protocol: udp}
                  function: pass
              default: {function: pass}
              """)
          .read();

  @Property(tries = 15)
  void shouldNotShowInFlowRecords(@ForAll Random random) throws Exception {
    List<List<SentPacket>> blocks = EvictionRuns.blocks(random);
    Duration active = Duration.ofMillis(2_000 + random.nextInt(3_000));
    Duration idle = Duration.ofMillis(1_500 + random.nextInt(500));
    assertThat(
            EvictionRuns.run(
                new FlowRecords(active, idle),
                EvictionRuns.small(900),
                RULES,
                blocks,
                BLOCKS_PER_OTHER_RULE))
        .containsExactlyInAnyOrderElementsOf(
            EvictionRuns.run(
                new FlowRecords(active, idle),
                EvictionRuns.LARGE,
                RULES,
                blocks,
                BLOCKS_PER_OTHER_RULE));
  }
}
