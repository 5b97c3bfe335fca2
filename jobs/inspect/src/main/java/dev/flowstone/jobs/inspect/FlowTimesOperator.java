// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.model.PacketRecord;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.apache.flink.api.common.accumulators.ListAccumulator;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** Sorts the times of a few flows and hands over those that one subtask met. */
final class FlowTimesOperator extends AbstractStreamOperator<Void>
    implements OneInputStreamOperator<PacketBlock, Void> {
  static final String ACCUMULATOR = "gaps-by-time";

  private final List<UnsortedFlow> wanted;
  private transient FlowTimes[] flows;
  private transient ListAccumulator<FlowGaps> gaps;

  FlowTimesOperator(List<UnsortedFlow> wanted) {
    this.wanted = wanted;
  }

  @Override
  public void open() throws Exception {
    super.open();
    flows = wanted.stream().map(FlowTimes::new).toArray(FlowTimes[]::new);
    gaps = new ListAccumulator<>();
    getRuntimeContext().addAccumulator(ACCUMULATOR, gaps);
  }

  @Override
  public void processElement(StreamRecord<PacketBlock> element) {
    PacketBlock block = element.getValue();
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
  public void finish() throws Exception {
    super.finish();
    for (FlowTimes flow : flows) {
      if (flow.isMet()) {
        gaps.add(flow.gaps());
      }
    }
  }
}
