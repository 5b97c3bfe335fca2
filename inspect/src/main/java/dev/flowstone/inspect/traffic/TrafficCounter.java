// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect.traffic;

import dev.flowstone.inspect.count.InspectLimits;
import dev.flowstone.inspect.count.PacketCounter;
import dev.flowstone.inspect.flow.ConversationTable;
import dev.flowstone.inspect.flow.Direction;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RawPacketFlag;
import dev.flowstone.raw.RawPacketBatch;
import java.lang.foreign.MemorySegment;

/** Counts packets: what they are, whose they are, and their SYNs. */
public final class TrafficCounter implements PacketCounter {
  private static final int TCP = 6;
  private static final int SYN = 0x02;
  private static final int ACK = 0x10;

  private final ConversationTable conversations;
  private final PacketClasses classes = new PacketClasses();
  private final SynWindows synWindows;
  private long packets;
  private long bytesWire;
  private long saturatedLengths;
  private long earliestNs = TimeRange.NONE.earliestNs();
  private long latestNs = TimeRange.NONE.latestNs();
  private long synWithoutAck;
  private long synWithAck;

  public TrafficCounter(InspectLimits limits) {
    conversations = new ConversationTable(limits);
    synWindows = new SynWindows(limits);
  }

  @Override
  public void add(RawPacketBatch packetsOfFile, MemorySegment records) {
    int count = packetsOfFile.count();
    packets += count;
    for (int i = 0; i < count; i++) {
      boolean timed = (packetsOfFile.flags(i) & RawPacketFlag.UNTIMED) == 0;
      add(records, i * PacketRecordLayout.SIZE_BYTES, packetsOfFile.timeNs(i), timed);
    }
  }

  private void add(MemorySegment segment, long offset, long timeNs, boolean timed) {
    int descriptor = PacketRecord.descriptor(segment, offset);
    int frameLength = PacketRecord.frameLength(descriptor);
    bytesWire += frameLength;
    if (frameLength == PacketRecordLayout.FRAME_LENGTH_MASK) {
      saturatedLengths++;
    }
    if (timed) {
      earliestNs = Math.min(earliestNs, timeNs);
      latestNs = Math.max(latestNs, timeNs);
    }
    int kind = PacketRecord.kind(descriptor);
    if (PacketRecord.isIp(kind)) {
      classes.addIp(PacketRecord.isIpv4(kind));
      conversations.add(segment, offset, timeNs, timed);
      if (PacketRecord.protocol(segment, offset) == TCP
          && (PacketRecord.tcpFlags(segment, offset) & SYN) != 0) {
        addSyn(segment, offset, timeNs, timed, PacketRecord.isIpv4(kind));
      }
    } else {
      classes.addOther(segment, offset);
    }
  }

  private void addSyn(
      MemorySegment segment, long offset, long timeNs, boolean timed, boolean ipv4) {
    if ((PacketRecord.tcpFlags(segment, offset) & ACK) != 0) {
      synWithAck++;
      return;
    }
    synWithoutAck++;
    if (timed) {
      synWindows.add(
          timeNs,
          PacketRecord.destinationAddressHigh(segment, offset),
          PacketRecord.destinationAddressLow(segment, offset),
          ipv4,
          PacketRecord.destinationPort(segment, offset));
    }
  }

  /** Of all packets up to now. */
  public TrafficSummary summary() {
    return new TrafficSummary(
        packets,
        bytesWire,
        saturatedLengths,
        new TimeRange(earliestNs, latestNs),
        classes.counts(),
        conversations.flows(),
        conversations.conversations(),
        conversations.top(Direction.FORWARD, Direction.BACKWARD),
        conversations.top(Direction.BOTH),
        synWithoutAck,
        synWithAck,
        SynReport.of(synWindows.counts()));
  }
}
