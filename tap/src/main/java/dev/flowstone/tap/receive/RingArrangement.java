// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import dev.flowstone.model.KeyGroups;
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.tap.datagram.DatagramHeader;
import dev.flowstone.tap.datagram.SenderRun;
import java.lang.foreign.MemorySegment;

/**
 * What a sender's rings are like, and those here.
 *
 * @param keyGroups digest of the ring of each key group
 * @param clock where times come from, a {@link RingClock}
 */
record RingArrangement(int ringCount, int maxParallelism, int keyGroups, int clock) {

  static RingArrangement of(MemorySegment datagram) {
    return new RingArrangement(
        DatagramHeader.ringCount(datagram, 0),
        DatagramHeader.maxParallelism(datagram, 0),
        DatagramHeader.keyGroups(datagram, 0),
        DatagramHeader.clock(datagram, 0));
  }

  boolean isOf(MemorySegment datagram) {
    return ringCount == DatagramHeader.ringCount(datagram, 0)
        && maxParallelism == DatagramHeader.maxParallelism(datagram, 0)
        && keyGroups == DatagramHeader.keyGroups(datagram, 0)
        && clock == DatagramHeader.clock(datagram, 0);
  }

  /** Whether rings made here hold the same key groups. */
  boolean hasUsualKeyGroups() {
    return keyGroups == SenderRun.checksum(KeyGroups.ringTable(maxParallelism, ringCount));
  }

  @Override
  public String toString() {
    return ringCount
        + " rings, "
        + maxParallelism
        + " key groups, clock "
        + RingClock.nameOf(clock);
  }
}
