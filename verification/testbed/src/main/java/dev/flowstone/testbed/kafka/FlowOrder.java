// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.kafka;

import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.PacketRecord;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;

/**
 * What the packets of each flow say themselves: their times never go back, and in each direction of
 * a TCP connection every byte of sequence space follows the one before. The traffic is orderly: it
 * has nothing twice or late, so a packet lost, doubled or out of order breaks the chain.
 */
final class FlowOrder {
  private static final int TCP = 6;
  private static final int SYN = 0x02;
  private static final int FIN = 0x01;
  private static final int ACK = 0x10;

  private final boolean clockSteps;
  private final Map<FlowTuple, Place> places = new HashMap<>();
  private long synWithoutAck;
  private long synWithAck;

  /** Where a flow has come to. */
  private static final class Place {
    private long timeNs = Long.MIN_VALUE;
    private int nextSequence;
  }

  /**
   * @param clockSteps whether times may go back, because whoever stamped the packets was set anew
   */
  FlowOrder(boolean clockSteps) {
    this.clockSteps = clockSteps;
  }

  /**
   * Something wrong.
   *
   * @param isGap whether it would be right if packets were lost
   */
  record Finding(String text, boolean isGap) {}

  /** Follows one packet; what is wrong with it, or null. */
  Finding follow(MemorySegment records, long offsetBytes, long timeNs) {
    FlowTuple flow = FlowTuple.of(records, offsetBytes);
    Place known = places.get(flow);
    boolean first = known == null;
    Place place = first ? new Place() : known;
    if (first) {
      places.put(flow, place);
    }
    if (timeNs < place.timeNs && !clockSteps) {
      return new Finding(flow + " goes back from " + place.timeNs + " to " + timeNs, false);
    }
    place.timeNs = timeNs;
    return flow.protocol() == TCP ? followSequence(place, first, flow, records, offsetBytes) : null;
  }

  private Finding followSequence(
      Place place, boolean first, FlowTuple flow, MemorySegment records, long offsetBytes) {
    int sequence = PacketRecord.sequence(records, offsetBytes);
    int flags = PacketRecord.tcpFlags(records, offsetBytes);
    int expected = place.nextSequence;
    boolean opens = (flags & SYN) != 0;
    Finding finding = null;
    if (opens) {
      count(flags);
    } else if (first) {
      finding = new Finding(flow + " begins without SYN", true);
    } else if (sequence != expected) {
      finding =
          new Finding(flow + " expects " + expected + ", has " + sequence, sequence - expected > 0);
    }
    int phantom = (flags & (SYN | FIN)) == 0 ? 0 : 1;
    place.nextSequence = sequence + PacketRecord.payloadLength(records, offsetBytes) + phantom;
    return finding;
  }

  private void count(int flags) {
    if ((flags & ACK) == 0) {
      synWithoutAck++;
    } else {
      synWithAck++;
    }
  }

  int distinctTuples() {
    return places.size();
  }

  long synWithoutAck() {
    return synWithoutAck;
  }

  long synWithAck() {
    return synWithAck;
  }
}
