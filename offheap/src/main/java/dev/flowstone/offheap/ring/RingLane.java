// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.model.abi.LaneMode;

/**
 * A claimed lane. One thread at a time, except for {@link #isHeld} and {@link #showLife}; its owner
 * frees it, or leaves it to hold the space.
 */
final class RingLane {
  private final RingLanes lanes;
  private final int lane;
  private final int mode;
  private final int epoch;
  private long word;

  RingLane(RingLanes lanes, int lane, long word) {
    this.lanes = lanes;
    this.lane = lane;
    this.word = word;
    this.mode = LaneClaim.mode(word);
    this.epoch = LaneClaim.epoch(word);
  }

  int number() {
    return lane;
  }

  /** Whether nobody has taken or freed the lane; wherever its owner moved it. */
  boolean isHeld() {
    long now = lanes.claimWord(lane);
    return LaneClaim.mode(now) == mode && LaneClaim.epoch(now) == epoch;
  }

  /** Says that the owner is still there; nothing happens when the lane is no longer ours. */
  void showLife() {
    if (isHeld()) {
      lanes.showLife(lane);
    }
  }

  /** Says that the owner is gone for now, and that its lane waits for it. */
  void rest() {
    if (isHeld()) {
      lanes.rest(lane);
    }
  }

  /** Moves the lane; false when another reader or an operator has taken it. */
  boolean release(long position) {
    return exchange(LaneClaim.released(word, LaneClaim.mode(word), position));
  }

  /** Gives the lane up; nothing happens when it was no longer ours. */
  void free() {
    exchange(LaneClaim.released(word, LaneMode.FREE, 0));
  }

  private boolean exchange(long update) {
    if (!lanes.compareAndSet(lane, word, update)) {
      return false;
    }
    word = update;
    return true;
  }
}
