// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import java.util.SplittableRandom;

/**
 * How many packets flows have, and how large these are.
 *
 * @param orderly whether flows are long and seen whole
 */
record FlowSizes(int fixedFrameBytes, boolean orderly) {
  /** The largest packets of paths: most Ethernet, some with a tunnel or a modem on their way. */
  private static final int[] PATH_BYTES = {1500, 1500, 1500, 1500, 1500, 1492, 1460, 1400};

  /** Larger flows are of 2^21 packets and more, but few. */
  private static final int MOST_DOUBLINGS = 18;

  private static final int SMALLEST_MEAN = 8;
  private static final int SMALLEST_ORDERLY_MEAN = 512;

  /**
   * A number of packets, from 2 on: half as many flows have at least twice as many. Every doubling
   * adds the same to the mean, so most flows are mice and most packets an elephant's.
   */
  int drawPackets(SplittableRandom random) {
    long bits = random.nextLong() | (1L << MOST_DOUBLINGS);
    int scale =
        (orderly ? SMALLEST_ORDERLY_MEAN : SMALLEST_MEAN) << Long.numberOfTrailingZeros(bits);
    return scale - 1 + random.nextInt(scale);
  }

  /** Bytes of payload in a packet that is full, given where the payload begins. */
  int fullBytes(FlowTraits traits, int headerBytes, SplittableRandom random) {
    int end = fixedFrameBytes;
    if (!isFixed()) {
      end = traits.ethernetBytes() + PATH_BYTES[random.nextInt(PATH_BYTES.length)];
    }
    return Math.max(0, end - headerBytes);
  }

  boolean isFixed() {
    return fixedFrameBytes != SyntheticOptions.MIX;
  }

  /** Shorter frames are padded: to the minimum of Ethernet, or to the one size of the run. */
  int smallestFrameBytes() {
    return Math.max(SyntheticOptions.SMALLEST_FRAME_BYTES, fixedFrameBytes);
  }
}
