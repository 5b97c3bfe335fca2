// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect;

import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.PacketRecord;
import java.lang.foreign.MemorySegment;

/** Compares the tuple of an IP packet's record with another without making an object. */
final class RecordTuple {
  private RecordTuple() {}

  /** Whether the packet was sent as the tuple says; the IP version is not looked at. */
  static boolean isForward(FlowTuple tuple, MemorySegment segment, long offset) {
    return tuple.sourceLow() == PacketRecord.sourceAddressLow(segment, offset)
        && tuple.destinationLow() == PacketRecord.destinationAddressLow(segment, offset)
        && tuple.sourcePort() == PacketRecord.sourcePort(segment, offset)
        && tuple.destinationPort() == PacketRecord.destinationPort(segment, offset)
        && tuple.sourceHigh() == PacketRecord.sourceAddressHigh(segment, offset)
        && tuple.destinationHigh() == PacketRecord.destinationAddressHigh(segment, offset)
        && tuple.protocol() == PacketRecord.protocol(segment, offset);
  }

  /** Whether the packet was sent the other way; the IP version is not looked at. */
  static boolean isBackward(FlowTuple tuple, MemorySegment segment, long offset) {
    return tuple.sourceLow() == PacketRecord.destinationAddressLow(segment, offset)
        && tuple.destinationLow() == PacketRecord.sourceAddressLow(segment, offset)
        && tuple.sourcePort() == PacketRecord.destinationPort(segment, offset)
        && tuple.destinationPort() == PacketRecord.sourcePort(segment, offset)
        && tuple.sourceHigh() == PacketRecord.destinationAddressHigh(segment, offset)
        && tuple.destinationHigh() == PacketRecord.sourceAddressHigh(segment, offset)
        && tuple.protocol() == PacketRecord.protocol(segment, offset);
  }
}
