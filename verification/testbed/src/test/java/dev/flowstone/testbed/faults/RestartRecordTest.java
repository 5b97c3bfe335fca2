// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.testbed.rings.RingSight;
import java.util.List;
import org.junit.jupiter.api.Test;

class RestartRecordTest {
  private static final long SECOND_NS = 1_000_000_000;

  private static RingSight sight(int second, long offered) {
    return new RingSight(second * SECOND_NS, offered, 0, offered, 1);
  }

  @Test
  void shouldTellTheRateFromTheFirstPacketOn() {
    RestartRecord record =
        new RestartRecord(List.of(sight(0, 0), sight(5, 100), sight(10, 600)), List.of(), 1_000);
    assertThat(record.offeredPerSecond()).hasValue(100);
    assertThat(record.toString()).startsWith("offered 100 packets/s on average");
  }

  @Test
  void shouldSayThatNoPacketCame() {
    RestartRecord record =
        new RestartRecord(List.of(sight(0, 0), sight(1, 0)), List.of(0L, 9 * SECOND_NS), 1_000);
    assertThat(record.offeredPerSecond()).isEmpty();
    assertThat(record.toString())
        .startsWith("offered no packets")
        .contains("kill 2: read again not before the next kill");
    assertThat(record.whyDropped(1_000_000)).contains("1,000 slots");
  }

  @Test
  void shouldSpeakEvenWhenNothingWasSeen() {
    assertThat(new RestartRecord(List.of(), List.of(0L), 1_000).toString())
        .startsWith("offered no packets");
  }
}
