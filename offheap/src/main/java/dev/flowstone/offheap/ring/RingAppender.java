// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.PacketRecordLayout;
import java.lang.foreign.MemorySegment;

/**
 * The way into one ring for records that stood in another one, with their order and their time
 * bases: they are copied by the run, and nothing is asked of each but its length. One thread for
 * each ring; the set that the ring belongs to ends and closes it.
 */
public final class RingAppender {
  private final RingWriter ring;

  RingAppender(RingWriter ring) {
    this.ring = ring;
  }

  /**
   * Writes packet records as far as there is room, and publishes them.
   *
   * @param baseNs what their times count from: that of the TIME record before them
   * @param trusted what that record said of the clock
   * @return how many, from the first on; the others have not met the ring, and may be offered again
   */
  public int append(
      MemorySegment records, long offsetBytes, int count, long baseNs, boolean trusted) {
    return ring.append(records, offsetBytes, count, baseNs, trusted);
  }

  /** Offers packet records and drops them, since there is no room. */
  public void drop(MemorySegment records, long offsetBytes, int count, long baseNs) {
    for (long each = 0; each < count; each++) {
      long record = offsetBytes + each * PacketRecordLayout.SIZE_BYTES;
      ring.refuse(
          PacketRecord.frameLength(PacketRecord.descriptor(records, record)),
          PacketRecord.timeNs(PacketRecord.timeLow(records, record), baseNs));
    }
    ring.publish();
  }

  /** Tells the time if the ring has not heard it for a second. */
  public void heartbeat(long nowNs, boolean trusted) {
    ring.heartbeat(nowNs, trusted);
  }

  /** As {@link RingSetWriter#lostBeforeTap}; for ring 0, which tells of all such losses. */
  public void lostBeforeTap(long packets, long timeNs) {
    ring.loseBeforeTap(packets, timeNs);
    ring.publish();
  }
}
