// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.operators.KeyGroupState;
import dev.flowstone.operators.ruled.RuledBlock;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/**
 * Blocks in which each subtask finds the flows of its own key groups, as {@link
 * dev.flowstone.connector.fpga.FlowExchange#blocksByFlow} makes them; functions that keep state by
 * flow are chained to them. A subtask that gets a flow of another's fails the job.
 */
public final class KeyedBlocks<B> {
  private final DataStream<B> blocks;
  private final OperatorFactory<B> operators;
  private final FlowRoom room;

  private KeyedBlocks(DataStream<B> blocks, OperatorFactory<B> operators, FlowRoom room) {
    this.blocks = blocks;
    this.operators = operators;
    this.room = room;
  }

  private interface OperatorFactory<B> {
    <R> KeyedBlockOperator<B, R> make(FlowFunction<R> function, FlowRoom room);
  }

  /** Blocks without rules. */
  public static KeyedBlocks<PacketBlock> of(DataStream<PacketBlock> blocks) {
    return new KeyedBlocks<>(blocks, KeyedBlockOperator::onBlocks, FlowRoom.USUAL);
  }

  public static KeyedBlocks<RuledBlock> ofRuled(DataStream<RuledBlock> blocks) {
    return new KeyedBlocks<>(blocks, KeyedBlockOperator::onRuledBlocks, FlowRoom.USUAL);
  }

  /** Room for more flows, or for fewer, than {@link FlowRoom#USUAL}. */
  public KeyedBlocks<B> room(FlowRoom forFlows) {
    return new KeyedBlocks<>(blocks, operators, forFlows);
  }

  /**
   * The function's results. Losses come on the side output {@link
   * dev.flowstone.connector.fpga.LostPackets#TAG}.
   *
   * @param name of the operator; its uid, which savepoints are read by, is the caller's to set
   */
  public <R> SingleOutputStreamOperator<R> process(String name, FlowFunction<R> function) {
    SingleOutputStreamOperator<R> results =
        blocks
            .transform(name, function.resultType(), operators.make(function, room))
            .setParallelism(blocks.getParallelism());
    KeyGroupState.keep(results);
    return results;
  }
}
