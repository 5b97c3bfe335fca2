// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.FlowHash;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class FlowHashPredictionTest {
  private static final long IPV4_MARK = 0xffff_0000_0000L;

  private final FlowHash reference = new FlowHash();

  @Property(tries = 500)
  void shouldEqualTheFlowHash(
      @ForAll long aHigh,
      @ForAll long aLow,
      @ForAll long bHigh,
      @ForAll long bLow,
      @ForAll @IntRange(max = 65535) int aPort,
      @ForAll @IntRange(max = 65535) int bPort,
      @ForAll @IntRange(max = 255) int protocol) {
    check(aHigh, aLow, bHigh, bLow, aPort, bPort, protocol);
    check(aHigh, aLow, aHigh, aLow, aPort, bPort, protocol);
    final long aIpv4 = IPV4_MARK | (aLow & 0xffff_ffffL);
    final long bIpv4 = IPV4_MARK | (bLow & 0xffff_ffffL);
    check(0, aIpv4, 0, bIpv4, aPort, bPort, protocol);
    check(0, aIpv4, bHigh, bLow, aPort, bPort, protocol);
  }

  private void check(
      long aHigh, long aLow, long bHigh, long bLow, int aPort, int bPort, int protocol) {
    assertThat(FlowHashPrediction.predict(aHigh, aLow, bHigh, bLow, aPort, bPort, protocol))
        .isEqualTo(reference.hash(aHigh, aLow, bHigh, bLow, aPort, bPort, protocol));
  }
}
