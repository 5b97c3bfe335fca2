// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect.flow;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.jobs.inspect.count.BlockCounter;
import dev.flowstone.model.PacketRecord;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Finds the gaps of a few flows by sorting their times, of those flows that it meets. */
public final class TimeSorter implements BlockCounter<Map<UnsortedFlow, Gaps>> {
  private final FlowTimes[] flows;

  public TimeSorter(List<UnsortedFlow> wanted) {
    flows = wanted.stream().map(FlowTimes::new).toArray(FlowTimes[]::new);
  }

  @Override
  public void add(PacketBlock block) {
    if (!block.clockTrusted()) {
      return;
    }
    MemorySegment segment = block.segment();
    for (int i = 0; i < block.count(); i++) {
      long offset = block.offsetOf(i);
      int kind = PacketRecord.kind(PacketRecord.descriptor(segment, offset));
      if (PacketRecord.isIp(kind)) {
        add(segment, offset, PacketRecord.isIpv4(kind), block.timeNs(i));
      }
    }
  }

  private void add(MemorySegment segment, long offset, boolean ipv4, long timeNs) {
    int hash = PacketRecord.flowHash(segment, offset);
    for (FlowTimes flow : flows) {
      flow.add(segment, offset, ipv4, hash, timeNs);
    }
  }

  @Override
  public Map<UnsortedFlow, Gaps> found() {
    Map<UnsortedFlow, Gaps> gaps = new HashMap<>();
    for (FlowTimes flow : flows) {
      if (flow.isMet()) {
        gaps.put(flow.flow(), flow.gaps());
      }
    }
    return gaps;
  }
}
