// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.source;

import dev.flowstone.traffic.synthetic.SyntheticOptions;
import dev.flowstone.traffic.synthetic.SyntheticSource;

/** TCP, UDP and ICMP over IPv4 and IPv6 with a flood in it, of which the truth is known. */
final class MixedPackets {
  static final long PACKETS = 200_000;
  private static final int RATE = 20_000;

  private MixedPackets() {}

  static SyntheticSource source() {
    return new SyntheticSource(
        SyntheticOptions.preset("syn-flood")
            .withPackets(PACKETS)
            .withPacketsPerSecond(RATE)
            .withFlows(1_000));
  }
}
