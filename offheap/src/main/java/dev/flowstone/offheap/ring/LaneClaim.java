// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static dev.flowstone.model.abi.RingLaneLayout.EPOCH_MASK;
import static dev.flowstone.model.abi.RingLaneLayout.EPOCH_SHIFT;
import static dev.flowstone.model.abi.RingLaneLayout.MODE_MASK;
import static dev.flowstone.model.abi.RingLaneLayout.MODE_SHIFT;
import static dev.flowstone.model.abi.RingLaneLayout.RELEASED_POSITION_MASK;

/** A lane's claim word: 48 bits of released position, two of mode, 14 of fencing epoch. */
final class LaneClaim {
  private LaneClaim() {}

  static int mode(long word) {
    return (int) (word >>> MODE_SHIFT & MODE_MASK);
  }

  static int epoch(long word) {
    return (int) (word >>> EPOCH_SHIFT & EPOCH_MASK);
  }

  /**
   * The full released position: the largest one up to the producer's with these low bits. A reader
   * never lags by 2^48 slots, 4 PiB of a ring, so there is only one candidate.
   */
  static long released(long word, long producerPosition) {
    long lag = producerPosition - (word & RELEASED_POSITION_MASK) & RELEASED_POSITION_MASK;
    return producerPosition - lag;
  }

  /** The word of the lane's next owner. */
  static long next(long word, int mode, long position) {
    return (epoch(word) + 1L & EPOCH_MASK) << EPOCH_SHIFT
        | (long) mode << MODE_SHIFT
        | (position & RELEASED_POSITION_MASK);
  }

  /** The same owner, having released up to a position. */
  static long released(long word, int mode, long position) {
    return (word & (EPOCH_MASK << EPOCH_SHIFT))
        | (long) mode << MODE_SHIFT
        | (position & RELEASED_POSITION_MASK);
  }
}
