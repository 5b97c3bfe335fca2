// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.raw.SourceNotice;
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
            new TapCounters(
                9,
                4,
                Map.of("CUT_SHORT", 1L),
                Map.of(SourceNotice.ABOVE_MTU, 2L, SourceNotice.INTERFACE_AWAY, 3L),
                8,
                7,
                true));
    assertThat(counters.mergedFrames()).isEqualTo(2);
  }
}
