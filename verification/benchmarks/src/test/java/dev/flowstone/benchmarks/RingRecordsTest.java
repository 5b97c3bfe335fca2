// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.flowstone.raw.PacketSource;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RingRecordsTest {
  private static final int PACKETS = 20_000;

  @Test
  void shouldCountFlows() throws IOException {
    assertThat(flows(UniformFlows.of(1000, 1_000_000, PACKETS)))
        .isCloseTo(1000, withinPercentage(1));
  }

  @ParameterizedTest
  @EnumSource(Mix.class)
  void shouldFindMoreFlowsWhereMoreLinksAreTogether(Mix mix) throws IOException {
    assertThat(flows(mix.open(PACKETS, 16))).isGreaterThan(flows(mix.open(PACKETS)));
  }

  private static long flows(PacketSource traffic) throws IOException {
    try (traffic;
        FilledRings rings = FilledRings.with(traffic, PACKETS);
        RingRecords records = RingRecords.of(rings)) {
      return records.flows();
    }
  }
}
