// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.model.abi.RingContent;

/**
 * What never changes while a ring file has its name.
 *
 * @param ring number among the tap's rings, from 0
 * @param ringCount how many rings the tap fills
 * @param incarnation 64 random bits, new with each start of the producer
 * @param stream names the ring's packets everywhere, see {@link dev.flowstone.model.StreamNumber}
 * @param content a {@link RingContent}
 * @param slotsLog2 the ring has 2^slotsLog2 slots
 * @param clock where times come from, a {@link dev.flowstone.model.abi.RingClock}
 * @param maxParallelism key groups, as in the Flink job
 * @param createdNs host's clock when the file was made, UTC nanoseconds
 * @param tapName what fills the ring
 */
public record RingIdentity(
    int ring,
    int ringCount,
    long incarnation,
    long stream,
    int content,
    int slotsLog2,
    int clock,
    int maxParallelism,
    long createdNs,
    String tapName) {

  public long slotCount() {
    return 1L << slotsLog2;
  }
}
