// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static dev.flowstone.model.abi.RingLaneLayout.EPOCH_MASK;
import static dev.flowstone.model.abi.RingLaneLayout.EPOCH_SHIFT;
import static dev.flowstone.model.abi.RingLaneLayout.MODE_MASK;
import static dev.flowstone.model.abi.RingLaneLayout.MODE_SHIFT;
import static dev.flowstone.model.abi.RingLaneLayout.RELEASED_POSITION_MASK;

import dev.flowstone.model.abi.LaneMode;
import dev.flowstone.model.abi.RingLaneBidLayout;

/**
 * A lane's claim word: 48 bits of released position, two of mode, 14 of fencing epoch. While the
 * mode is CLAIMING the 48 bits say who claims and since when, and whether the name is written.
 */
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

  /** The word of a claim that begins: it fences the former owner and holds nothing. */
  static long claiming(long word, int pid, long nowSeconds) {
    return next(word, LaneMode.CLAIMING, 0)
        | (pid & RingLaneBidLayout.PID_MASK) << RingLaneBidLayout.PID_SHIFT
        | (nowSeconds & RingLaneBidLayout.BEGUN_S_MASK) << RingLaneBidLayout.BEGUN_S_SHIFT;
  }

  /** The same claim, its name written. */
  static long named(long claiming) {
    return claiming | 1L << RingLaneBidLayout.NAMED_SHIFT;
  }

  /** Whether the lane's name can be read: always, but for a claim that is not so far. */
  static boolean isNamed(long word) {
    return mode(word) != LaneMode.CLAIMING || (word >>> RingLaneBidLayout.NAMED_SHIFT & 1) != 0;
  }

  /** Who claims; of a lane that is being claimed only. */
  static int claimerPid(long claiming) {
    return (int) (claiming >>> RingLaneBidLayout.PID_SHIFT & RingLaneBidLayout.PID_MASK);
  }

  /** How long it has been claimed; of a lane that is being claimed only. */
  static long claimingSeconds(long claiming, long nowSeconds) {
    return nowSeconds - (claiming >>> RingLaneBidLayout.BEGUN_S_SHIFT)
        & RingLaneBidLayout.BEGUN_S_MASK;
  }
}
