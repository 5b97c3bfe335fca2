// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.live;

import dev.flowstone.model.abi.RawPacketFlag;

/**
 * Times of captured frames: the kernel's, or the card's where it was asked to stamp. Another
 * clock's time is none then: such a frame is untimed, and stands at the latest time that the card
 * gave. One thread.
 */
final class FrameClock {
  private final KernelBlock blocks;
  private final boolean byHardware;

  private long timeNs;
  private boolean isTimed;
  private boolean hasBegun;
  private long otherClockFrames;
  private long toldOtherClockFrames;

  FrameClock(KernelBlock blocks, boolean byHardware) {
    this.blocks = blocks;
    this.byHardware = byHardware;
  }

  /** Looks at a frame. What comes before the card's first time has nothing better than its own. */
  void look(long frame) {
    isTimed = !byHardware || blocks.hasHardwareTime(frame);
    if (isTimed || !hasBegun) {
      timeNs = blocks.timeNs(frame);
    }
    hasBegun |= isTimed;
    if (!isTimed) {
      otherClockFrames++;
    }
  }

  /** Of the frame that was looked at last. */
  long timeNs() {
    return timeNs;
  }

  /** Bits of {@link RawPacketFlag} for that frame. */
  int flags() {
    return isTimed ? 0 : RawPacketFlag.UNTIMED;
  }

  boolean isHardware() {
    return byHardware;
  }

  /** Frames so far that another clock stamped. */
  long otherClockFrames() {
    return otherClockFrames;
  }

  /** The same since this was last asked. */
  long takeOtherClockFrames() {
    long taken = otherClockFrames - toldOtherClockFrames;
    toldOtherClockFrames = otherClockFrames;
    return taken;
  }
}
