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
  /** What anybody can ask for. */
  public static final int MOST_FLOWS = 1 << 28;

  /** Fits the memory that flink-conf gives, see docs/deployment.md. */
  public static final int USUAL_MOST_FLOWS = 1 << 18;

  private final DataStream<B> blocks;
  private final OperatorFactory<B> operators;
  private final int mostFlows;

  private KeyedBlocks(DataStream<B> blocks, OperatorFactory<B> operators, int mostFlows) {
    this.blocks = blocks;
    this.operators = operators;
    this.mostFlows = mostFlows;
  }

  private interface OperatorFactory<B> {
    <R> KeyedBlockOperator<B, R> make(FlowFunction<R> function, int mostFlows);
  }

  /** Blocks without rules. */
  public static KeyedBlocks<PacketBlock> of(DataStream<PacketBlock> blocks) {
    return new KeyedBlocks<>(blocks, KeyedBlockOperator::onBlocks, USUAL_MOST_FLOWS);
  }

  public static KeyedBlocks<RuledBlock> ofRuled(DataStream<RuledBlock> blocks) {
    return new KeyedBlocks<>(blocks, KeyedBlockOperator::onRuledBlocks, USUAL_MOST_FLOWS);
  }

  /**
   * Most flows in one subtask, default 262,144. Each takes the function's bytes and 40 more off the
   * heap, up to a quarter more where pages are not full, and 16 to 32 on it, 64 where most have
   * left: more of them need more {@code taskmanager.memory.task.off-heap.size}. Packets of flows
   * beyond that are counted ({@code packetsWithoutRoom}) and in no result.
   */
  public KeyedBlocks<B> mostFlows(int flows) {
    return new KeyedBlocks<>(blocks, operators, flows);
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
            .transform(name, function.resultType(), operators.make(function, mostFlows))
            .setParallelism(blocks.getParallelism());
    KeyGroupState.keep(results);
    return results;
  }
}
