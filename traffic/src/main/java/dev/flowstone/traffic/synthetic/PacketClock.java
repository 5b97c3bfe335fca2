// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import java.util.SplittableRandom;

/** When the next packet of the mix is due. */
final class PacketClock {
  private static final long FRACTION_MASK = (1L << ArrivalGaps.FRACTION_BITS) - 1;

  private final SplittableRandom random;
  private final ArrivalGaps gaps;
  private long nowNs;
  private long fraction;

  PacketClock(SyntheticOptions options, SplittableRandom random) {
    this.random = random;
    gaps = new ArrivalGaps(options.packetsPerSecond(), options.gaps());
    nowNs = options.startNs();
  }

  long nowNs() {
    return nowNs;
  }

  /** Moves on to the next packet. */
  void advance() {
    long sum = fraction + gaps.choose(random.nextLong());
    nowNs += sum >>> ArrivalGaps.FRACTION_BITS;
    fraction = sum & FRACTION_MASK;
  }
}
