// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import java.io.Serializable;

/**
 * Packets of an interval. Each but those of the four kinds named here made a gap.
 *
 * @param packets all of them
 * @param late of these, how many came when their own interval had been reported
 * @param first began a flow, or came after it was silent for longer than is remembered
 * @param earlier came with a time before the latest of their flow
 * @param clockSteps more than a second before
 * @param untimed have no time of their own: the capture gave none
 */
public record PacketCounts(
    long packets, long late, long first, long earlier, long clockSteps, long untimed)
    implements Serializable {
  PacketCounts plus(PacketCounts other) {
    return new PacketCounts(
        packets + other.packets,
        late + other.late,
        first + other.first,
        earlier + other.earlier,
        clockSteps + other.clockSteps,
        untimed + other.untimed);
  }

  /** Returns the same counts with all packets late. */
  PacketCounts allLate() {
    return new PacketCounts(packets, packets, first, earlier, clockSteps, untimed);
  }

  /** Whether something else was seen than flows that began. */
  boolean hasMoreThanFirst() {
    return packets > first;
  }
}
