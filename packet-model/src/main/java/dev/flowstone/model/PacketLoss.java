// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model;

/**
 * Packets that a stream lacks, by where they were lost.
 *
 * @param inRing offered to the ring, and dropped because it was full, or gone before a reader came
 * @param beforeTap never offered: lost by the kernel, the capture device, or whoever wrote the
 *     capture file, as that counted them
 */
public record PacketLoss(long inRing, long beforeTap) {
  public static final PacketLoss NONE = new PacketLoss(0, 0);

  public PacketLoss {
    if (inRing < 0 || beforeTap < 0) {
      throw new IllegalArgumentException(
          "losses must not be negative: inRing=" + inRing + " beforeTap=" + beforeTap);
    }
  }

  public static PacketLoss inRing(long packets) {
    return packets == 0 ? NONE : new PacketLoss(packets, 0);
  }

  public boolean isNone() {
    return inRing == 0 && beforeTap == 0;
  }

  public PacketLoss plus(PacketLoss other) {
    if (other.isNone()) {
      return this;
    }
    return isNone() ? other : new PacketLoss(inRing + other.inRing, beforeTap + other.beforeTap);
  }
}
