// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockOrigin;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.operators.ruled.RuledBlock;
import dev.flowstone.operators.ruled.RulesInForce;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.runtime.state.storage.JobManagerCheckpointStorage;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;

/** One subtask, all key groups, with a function on packets that have rules. */
@SuppressWarnings("try")
public final class RuledHarness<R>
    extends KeyedOneInputStreamOperatorTestHarness<Integer, RuledBlock, R> {
  private static final int KEY_GROUPS = 128;
  private static final int MOST_STATE_BYTES = 64 << 20;

  private final KeyedBlockOperator<RuledBlock, R> flows;

  private RuledHarness(KeyedBlockOperator<RuledBlock, R> operator) throws Exception {
    super(operator, _ -> 0, Types.INT, KEY_GROUPS, 1, 0);
    flows = operator;
    setStateBackend(new HashMapStateBackend());
    setCheckpointStorage(new JobManagerCheckpointStorage(MOST_STATE_BYTES));
  }

  public static <R> RuledHarness<R> of(FlowFunction<R> function, int mostFlows) throws Exception {
    return of(function, FlowRoom.inMemoryAlone(mostFlows));
  }

  public static <R> RuledHarness<R> of(FlowFunction<R> function, FlowRoom room) throws Exception {
    return new RuledHarness<>(KeyedBlockOperator.onRuledBlocks(function, room));
  }

  /** What is not in use when a block comes may leave memory with the next one. */
  public static <R> RuledHarness<R> ofSwiftEviction(FlowFunction<R> function, FlowRoom room)
      throws Exception {
    return new RuledHarness<>(KeyedBlockOperator.onRuledBlocks(function, room, new HastyClock()));
  }

  /** A block of packets that have the same rule. */
  public void give(List<SentPacket> packets, RulesInForce rules, int rule) throws Exception {
    give(SentPacket.block(packets), rules, rule);
  }

  /** Says which rules are in force, as it is said before the first packet and watermark. */
  public void announce(RulesInForce rules) throws Exception {
    PacketBlockOrigin nowhere = new PacketBlockOrigin(0, 0, 0, 0, true);
    give(PacketBlock.empty(nowhere, PacketLoss.NONE), rules, rules.size() - 1);
  }

  public void give(PacketBlock block, RulesInForce rules, int rule) throws Exception {
    processElement(new StreamRecord<>(RuledBlock.of(block, rules, rule), 0));
  }

  public long flowCount() {
    return flows.flowCount();
  }

  public long flowsEvicted() {
    return flows.flowsEvicted();
  }

  public long packetsWithoutRoom() {
    return flows.packetsWithoutRoom();
  }

  /** What left, and none of it again. */
  public List<R> results() {
    List<R> results = extractOutputValues();
    getOutput().clear();
    return results;
  }
}
