// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.raw.SourceNotice;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TapCountersTest {
  @Test
  void shouldReadAllThatTheTapTells() throws Exception {
    String told =
        """
        {"source_packets": 9, "source_wire_bytes": 900, "lost_before_tap": 4, "offered": 7,
         "parsed": 8, "clock": "WALL", "malformed": {"CUT_SHORT": 1},
         "notices": {"ABOVE_MTU": 2, "INTERFACE_AWAY": 3}, "rings": [], "ended": true}
        """;
    TapCounters counters = TapCounters.parse(new ObjectMapper().readTree(told));
    assertThat(counters)
        .isEqualTo(
            new TapCounters.Software(
                9,
                4,
                Map.of("CUT_SHORT", 1L),
                Map.of(SourceNotice.ABOVE_MTU, 2L, SourceNotice.INTERFACE_AWAY, 3L),
                8,
                7,
                true));
    assertThat(counters.mergedFrames()).isEqualTo(2);
  }

  private static final String OF_A_CARD =
      """
      {"cards": [{"card": "card 0", "starts": 1,
        "ports": [{"received": 90, "filtered": 2}, {"received": 10, "filtered": 1}],
        "rings": [{"offered": 50, "written": 50, "dropped": 0}],
        "pumps": [{"packets": 60, "surplus": 1}, {"packets": 32, "surplus": 0}],
        "lost": {"ring_full": 5, "damaged": 1}, "files": []}], "ended": true}
      """;

  @Test
  void shouldReadWhatATapOfACardTells() throws Exception {
    TapCounters counters = TapCounters.parse(new ObjectMapper().readTree(OF_A_CARD));
    assertThat(counters)
        .isEqualTo(
            new TapCounters.Card(100, 3, Map.of("ring_full", 5L, "damaged", 1L), 1, 92, true));
    assertThat(counters.offered()).isEqualTo(92);
    assertThat(counters.lostBeforeTap()).isEqualTo(6);
    assertThat(counters.seen()).isEqualTo(94);
    assertThat(counters.pairs(92)).hasSize(2).allMatch(Balance.Pair::isEqual);
    assertThat(counters.pairs(91)).filteredOn(pair -> !pair.isEqual()).hasSize(1);
    Stage stage = counters.stage();
    assertThat(stage.in()).isEqualTo(100);
    assertThat(stage.out()).hasValue(92);
    assertThat(stage.dropText()).isEqualTo("3 by its rules, 1 damaged, 5 ring full");
    assertThat(counters.json().get("lost").get("ring_full").asLong()).isEqualTo(5);
  }

  /** Each of these is a packet that is missing, or one too many. */
  @Test
  void shouldNameThePlaceInTheCard() {
    for (TapCounters.Card wrong :
        List.of(
            new TapCounters.Card(101, 3, Map.of("ring_full", 6L), 1, 92, true),
            new TapCounters.Card(100, 2, Map.of("ring_full", 6L), 1, 92, true),
            new TapCounters.Card(100, 3, Map.of("ring_full", 5L), 1, 92, true),
            new TapCounters.Card(100, 3, Map.of("ring_full", 6L), 0, 92, true))) {
      assertThat(wrong.pairs(92))
          .filteredOn(pair -> !pair.isEqual())
          .singleElement()
          .asString()
          .startsWith("packets that came to the card " + wrong.received());
    }
  }
}
