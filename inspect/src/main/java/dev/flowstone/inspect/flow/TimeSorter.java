// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect.flow;

import dev.flowstone.inspect.count.PacketCounter;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RawPacketFlag;
import dev.flowstone.raw.RawPacketBatch;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Finds the gaps of a few flows by sorting their times. */
public final class TimeSorter implements PacketCounter {
  private final FlowTimes[] flows;

  public TimeSorter(List<UnsortedFlow> wanted) {
    flows = wanted.stream().map(FlowTimes::new).toArray(FlowTimes[]::new);
  }

  @Override
  public void add(RawPacketBatch packets, MemorySegment records) {
    for (int i = 0; i < packets.count(); i++) {
      long offset = i * PacketRecordLayout.SIZE_BYTES;
      int kind = PacketRecord.kind(PacketRecord.descriptor(records, offset));
      if (PacketRecord.isIp(kind) && (packets.flags(i) & RawPacketFlag.UNTIMED) == 0) {
        add(records, offset, PacketRecord.isIpv4(kind), packets.timeNs(i));
      }
    }
  }

  private void add(MemorySegment segment, long offset, boolean ipv4, long timeNs) {
    int hash = PacketRecord.flowHash(segment, offset);
    for (FlowTimes flow : flows) {
      flow.add(segment, offset, ipv4, hash, timeNs);
    }
  }

  /**
   * Of each flow that was asked for.
   *
   * @throws dev.flowstone.inspect.count.InspectException if a flow has another number of packets
   *     than was said
   */
  public Map<UnsortedFlow, Gaps> gaps() {
    Map<UnsortedFlow, Gaps> gaps = new HashMap<>();
    for (FlowTimes flow : flows) {
      gaps.put(flow.flow(), flow.gaps());
    }
    return gaps;
  }
}
