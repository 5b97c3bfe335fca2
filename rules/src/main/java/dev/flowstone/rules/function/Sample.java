// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.function;

import java.util.Optional;

/**
 * One of so many packets goes on, each batch with the weight of its packets.
 *
 * @param oneIn N of 1:N
 * @param seed of {@link By#RANDOM} alone: the same seed chooses the same packets
 * @param keepSynFinRst whether TCP packets that open or end a connection all go on, with weight 1
 * @param anonymiseKey see {@link Pass#anonymiseKey()}
 */
public record Sample(
    int oneIn, By by, long seed, boolean keepSynFinRst, Optional<String> anonymiseKey)
    implements ServiceFunction {
  public static final int MOST_ONE_IN = 1_000_000_000;

  /** What is counted to N. */
  public enum By {
    /** The first packet of a rule and ring, then every Nth. */
    PACKETS,
    /** Whole flows, chosen by their hash. */
    FLOWS,
    /** Each packet with the same chance. */
    RANDOM
  }

  public Sample {
    if (oneIn < 1 || oneIn > MOST_ONE_IN) {
      throw new IllegalArgumentException("one_in must be 1 to 1000000000: " + oneIn);
    }
    if (seed != 0 && by != By.RANDOM) {
      throw new IllegalArgumentException("seed is for by: random");
    }
    anonymiseKey.ifPresent(KeyName::require);
  }

  /** The first packet, then every Nth. */
  public static Sample everyNth(int oneIn) {
    return new Sample(oneIn, By.PACKETS, 0, false, Optional.empty());
  }

  @Override
  public String name() {
    return "sample";
  }
}
