// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect.flow;

import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.PacketRecord;
import java.lang.foreign.MemorySegment;

/** Which packets of a conversation are a flow; for one packet, which way it went. */
public enum Direction {
  /** Those that were sent as the canonical tuple says. */
  FORWARD,
  BACKWARD,
  BOTH;

  boolean includes(Direction sent) {
    return this == BOTH || this == sent;
  }

  /**
   * Which way the packet of an IP packet's record went; null if it is not of this conversation. The
   * IP version is not looked at, and no object is made.
   */
  static Direction of(FlowTuple tuple, MemorySegment segment, long offset) {
    if (isForward(tuple, segment, offset)) {
      return FORWARD;
    }
    return isBackward(tuple, segment, offset) ? BACKWARD : null;
  }

  private static boolean isForward(FlowTuple tuple, MemorySegment segment, long offset) {
    return tuple.sourceLow() == PacketRecord.sourceAddressLow(segment, offset)
        && tuple.destinationLow() == PacketRecord.destinationAddressLow(segment, offset)
        && tuple.sourcePort() == PacketRecord.sourcePort(segment, offset)
        && tuple.destinationPort() == PacketRecord.destinationPort(segment, offset)
        && tuple.sourceHigh() == PacketRecord.sourceAddressHigh(segment, offset)
        && tuple.destinationHigh() == PacketRecord.destinationAddressHigh(segment, offset)
        && tuple.protocol() == PacketRecord.protocol(segment, offset);
  }

  private static boolean isBackward(FlowTuple tuple, MemorySegment segment, long offset) {
    return tuple.sourceLow() == PacketRecord.destinationAddressLow(segment, offset)
        && tuple.destinationLow() == PacketRecord.sourceAddressLow(segment, offset)
        && tuple.sourcePort() == PacketRecord.destinationPort(segment, offset)
        && tuple.destinationPort() == PacketRecord.sourcePort(segment, offset)
        && tuple.sourceHigh() == PacketRecord.destinationAddressHigh(segment, offset)
        && tuple.destinationHigh() == PacketRecord.sourceAddressHigh(segment, offset)
        && tuple.protocol() == PacketRecord.protocol(segment, offset);
  }
}
