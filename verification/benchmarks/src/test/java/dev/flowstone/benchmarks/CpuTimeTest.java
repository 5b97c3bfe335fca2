// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class CpuTimeTest {
  private static final long TICK_NS = 10_000_000;

  @Test
  void shouldTakeATickWhereTheKernelHasCountedNone() {
    assertThat(CpuTime.betweenNs(7 * TICK_NS, 7 * TICK_NS)).isEqualTo(TICK_NS);
    assertThat(CpuTime.betweenNs(7 * TICK_NS, 9 * TICK_NS)).isEqualTo(2 * TICK_NS);
  }

  @Test
  void shouldRefuseTimeThatWentBack() {
    assertThatThrownBy(() -> CpuTime.betweenNs(9 * TICK_NS, 7 * TICK_NS))
        .hasMessageContaining("startNs=90000000, endNs=70000000");
  }
}
