// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import java.util.SplittableRandom;

/** When the next packet of the mix is due, and the random bits that are its own. */
final class PacketClock {
  private static final long FRACTION_MASK = (1L << ArrivalGaps.FRACTION_BITS) - 1;

  private final SplittableRandom random;
  private final ArrivalGaps gaps;
  private long nowNs;
  private long fraction;
  private long bits;

  PacketClock(SyntheticOptions options, SplittableRandom random) {
    this.random = random;
    gaps = new ArrivalGaps(options.packetsPerSecond(), options.gaps());
    nowNs = options.startNs();
    bits = random.nextLong();
  }

  long nowNs() {
    return nowNs;
  }

  /** See {@link PacketBits}. */
  long bits() {
    return bits;
  }

  /** Moves on to the next packet. */
  void advance() {
    bits = random.nextLong();
    long sum = fraction + gaps.choose(bits);
    nowNs += sum >>> ArrivalGaps.FRACTION_BITS;
    fraction = sum & FRACTION_MASK;
  }
}
