// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.blocks;

/**
 * Where a block's packets come from and how their times are meant.
 *
 * @param ring number of the ring among its tap's
 * @param incarnation 64 random bits, new with each start of the tap
 * @param position of the first packet in the ring; only grows within an incarnation
 * @param timeBaseNs UTC nanoseconds to which the records' 32-bit times relate
 * @param clockTrusted false: the capture gave no times, the base is repeated
 */
public record PacketBlockOrigin(
    int ring, long incarnation, long position, long timeBaseNs, boolean clockTrusted) {

  /** Most rings of one tap; a ring number fits 16 bits wherever it is written. */
  public static final int MOST_RINGS = 1 << Short.SIZE;

  public PacketBlockOrigin {
    if (ring < 0 || ring >= MOST_RINGS) {
      throw new IllegalArgumentException("ring must be 0 to " + (MOST_RINGS - 1) + ": " + ring);
    }
  }
}
