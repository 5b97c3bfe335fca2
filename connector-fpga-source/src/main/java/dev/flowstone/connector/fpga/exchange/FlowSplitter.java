// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.exchange;

import dev.flowstone.blocks.PacketBlock;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.util.Collector;

/**
 * Splits a block into one selection for each subtask that has flows in it; the block's loss goes
 * with the first.
 */
public final class FlowSplitter
    extends RichFlatMapFunction<PacketBlock, Tuple2<Integer, PacketBlock>> {
  private static final long serialVersionUID = 1L;

  private transient FlowParts parts;

  @Override
  public void open(OpenContext context) {
    parts = new FlowParts(getRuntimeContext().getTaskInfo());
  }

  @Override
  public void flatMap(PacketBlock block, Collector<Tuple2<Integer, PacketBlock>> out) {
    parts.split(block, (subtask, part) -> out.collect(Tuple2.of(subtask, part)));
  }
}
