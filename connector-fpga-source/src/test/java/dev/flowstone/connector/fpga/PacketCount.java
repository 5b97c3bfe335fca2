// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.PacketRecord;
import java.lang.foreign.MemorySegment;
import org.apache.flink.api.java.tuple.Tuple3;

/** Counts packets and bytes of a flow: the port that TestTap gives it, the second, the packets. */
public final class PacketCount
    implements FlowAggregate<PacketCount.Sum, Tuple3<Integer, Long, Long>> {
  private static final long serialVersionUID = 1L;
  private static final long NS_PER_S = 1_000_000_000;

  /** What is added up. */
  public static final class Sum {
    public long packets;
    public long bytes;
  }

  @Override
  public Sum create() {
    return new Sum();
  }

  @Override
  public void add(Sum sum, MemorySegment segment, long offsetBytes) {
    sum.packets++;
    sum.bytes += PacketRecord.frameLength(PacketRecord.descriptor(segment, offsetBytes));
  }

  @Override
  public Tuple3<Integer, Long, Long> result(FlowTuple flow, long startNs, Sum sum) {
    return Tuple3.of(flow.sourcePort(), startNs / NS_PER_S, sum.packets);
  }
}
