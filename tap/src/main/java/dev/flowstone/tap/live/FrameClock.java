// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.live;

import dev.flowstone.model.abi.RawPacketFlag;

/**
 * Times of captured frames: the kernel's, or the card's where it was asked to stamp. A frame that
 * the card did not stamp is untimed and has the card's latest time. The frames after it are untimed
 * until the card has stamped {@value #MIN_STAMPED_IN_A_ROW} frames in a row: each change between
 * timed and untimed frames takes a TIME record in every ring. One thread.
 */
final class FrameClock {
  /** A smaller number keeps more frames timed. A greater one takes fewer TIME records. */
  static final int MIN_STAMPED_IN_A_ROW = 256;

  private final KernelBlock blocks;
  private final boolean byHardware;

  private long timeNs;
  private int stampedInARow = MIN_STAMPED_IN_A_ROW;
  private boolean hasBegun;
  private long otherClockFrames;
  private long toldOtherClockFrames;

  FrameClock(KernelBlock blocks, boolean byHardware) {
    this.blocks = blocks;
    this.byHardware = byHardware;
  }

  /** Looks at a frame. What comes before the card's first time has nothing better than its own. */
  void look(long frame) {
    boolean isStamped = !byHardware || blocks.hasHardwareTime(frame);
    if (isStamped || !hasBegun) {
      timeNs = blocks.timeNs(frame);
    }
    hasBegun |= isStamped;
    if (isStamped) {
      stampedInARow = Math.min(stampedInARow + 1, MIN_STAMPED_IN_A_ROW);
    } else {
      stampedInARow = 0;
      otherClockFrames++;
    }
  }

  /** Of the frame that was looked at last. */
  long timeNs() {
    return timeNs;
  }

  /** Bits of {@link RawPacketFlag} for that frame. */
  int flags() {
    return stampedInARow == MIN_STAMPED_IN_A_ROW ? 0 : RawPacketFlag.UNTIMED;
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
