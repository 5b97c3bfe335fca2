// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.datagram;

import dev.flowstone.model.abi.RingLineageLayout;
import dev.flowstone.offheap.ring.RingLineage;
import java.lang.foreign.MemorySegment;

/** A ring's earlier incarnations in the body of a heartbeat, latest first. */
public final class HeartbeatLineage {
  private HeartbeatLineage() {}

  /** Returns how many. */
  static int write(MemorySegment memory, RingLineage lineage) {
    for (int i = 0; i < lineage.ancestors().size(); i++) {
      RingLineage.Ancestor ancestor = lineage.ancestors().get(i);
      long at = at(0, i);
      memory.set(
          DatagramHeader.U64, at + RingLineageLayout.INCARNATION_OFFSET, ancestor.incarnation());
      memory.set(
          DatagramHeader.U64,
          at + RingLineageLayout.OFFERED_PACKETS_OFFSET,
          ancestor.offeredPackets());
      memory.set(
          DatagramHeader.U64,
          at + RingLineageLayout.LOST_BEFORE_TAP_OFFSET,
          ancestor.lostBeforeTap());
    }
    return lineage.ancestors().size();
  }

  public static long incarnation(MemorySegment memory, long datagramAt, int index) {
    return memory.get(
        DatagramHeader.U64, at(datagramAt, index) + RingLineageLayout.INCARNATION_OFFSET);
  }

  public static long offeredPackets(MemorySegment memory, long datagramAt, int index) {
    return memory.get(
        DatagramHeader.U64, at(datagramAt, index) + RingLineageLayout.OFFERED_PACKETS_OFFSET);
  }

  public static long lostBeforeTap(MemorySegment memory, long datagramAt, int index) {
    return memory.get(
        DatagramHeader.U64, at(datagramAt, index) + RingLineageLayout.LOST_BEFORE_TAP_OFFSET);
  }

  private static long at(long datagramAt, int index) {
    return datagramAt + DatagramHeader.BYTES + index * RingLineageLayout.SIZE_BYTES;
  }
}
