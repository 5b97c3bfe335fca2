// SPDX-License-Identifier: Apache-2.0
package com.example;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.FlowAggregate;
import dev.flowstone.connector.fpga.FlowExchange;
import dev.flowstone.connector.fpga.FlowWindows;
import dev.flowstone.connector.fpga.FpgaSourceBuilder;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.PacketRecord;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** The fast way: packets are counted where they lie in the ring, without an object for one. */
final class CountBlocks implements FlowAggregate<FlowSum, FlowSecond> {
  private static final long serialVersionUID = 1L;
  private static final long NS_PER_S = 1_000_000_000;

  static DataStream<FlowSecond> perFlowAndSecond(
      StreamExecutionEnvironment environment, FpgaSourceBuilder source) {
    DataStream<PacketBlock> blocks =
        FlowExchange.AUTO.blocksByFlow(environment, source, "rings");
    SingleOutputStreamOperator<FlowSecond> counts =
        FlowWindows.of(Duration.ofSeconds(1)).aggregate(blocks, new CountBlocks());
    FirstJob.printLosses(counts);
    return counts.name("Flows by second").uid("flows-by-second");
  }

  @Override
  public FlowSum create() {
    return new FlowSum();
  }

  @Override
  public void add(FlowSum sum, MemorySegment segment, long offsetBytes) {
    sum.packets++;
    sum.bytes += PacketRecord.frameLength(PacketRecord.descriptor(segment, offsetBytes));
  }

  @Override
  public FlowSecond result(FlowTuple flow, long startNs, FlowSum sum) {
    return new FlowSecond(Math.floorDiv(startNs, NS_PER_S), flow, sum.packets, sum.bytes);
  }
}
