// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.operators.EvictionRuns;
import dev.flowstone.operators.FlowRoom;
import dev.flowstone.operators.SentPacket;
import dev.flowstone.operators.ruled.RulesText;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Nobody sees by histograms of flows whether flows leave memory. */
class HistogramEvictionPropertyTest {
  private static final int BLOCKS_PER_OTHER_RULE = 100;
  private static final RulesText RULES =
      new RulesText(
          1,
          "test",
          """
          rules:
            - name: other
              match: {protocol: udp}
              function:
                histogram:
                  of: [packet_size]
                  per: flow
                  interval: 700ms
                  digits: 1
          default:
            function:
              histogram:
                of: [inter_arrival, packet_size]
                per: flow
                interval: 1s
                digits: 1
          """);

  @Property(tries = 10)
  void shouldNotShowInHistograms(@ForAll Random random) throws Exception {
    List<List<SentPacket>> blocks = EvictionRuns.blocks(random);
    assertThat(run(EvictionRuns.small(600), blocks))
        .containsExactlyInAnyOrderElementsOf(run(EvictionRuns.LARGE, blocks));
  }

  private static List<HistogramResult> run(FlowRoom room, List<List<SentPacket>> blocks)
      throws Exception {
    HistogramReport report = new HistogramReport();
    report.open(null);
    FlowHistograms function = new FlowHistograms(HistogramRules.room(RULES));
    return EvictionRuns.run(function, room, RULES.read(), blocks, BLOCKS_PER_OTHER_RULE).stream()
        .map(report::map)
        .toList();
  }
}
