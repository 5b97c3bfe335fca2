// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.blocks;

import dev.flowstone.model.StreamNumber;

/**
 * Where a block's packets come from and how their times are meant.
 *
 * @param stream names the ring's packets over restarts, see {@link StreamNumber}
 * @param incarnation 64 random bits, new with each start of the tap
 * @param position of the first packet in the ring; only grows within an incarnation
 * @param timeBaseNs UTC nanoseconds to which the records' 32-bit times relate
 * @param clockTrusted false: the capture gave no times, the base is repeated
 */
public record PacketBlockOrigin(
    long stream, long incarnation, long position, long timeBaseNs, boolean clockTrusted) {

  /** Number of the ring among its tap's. */
  public int ring() {
    return StreamNumber.ring(stream);
  }
}
