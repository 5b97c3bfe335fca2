// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.operators.ruled.RuledBlock;
import java.util.Arrays;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;

/** Packets by the last bits of their flow hash, counted on the heap and emitted at checkpoints. */
final class PartialSums implements FlowFunction<Tuple2<Integer, Long>> {
  private static final long serialVersionUID = 1L;
  static final int KEYS = 16;

  private transient FlowContext<Tuple2<Integer, Long>> context;
  private transient long[] sums;
  private transient long earliestNs;

  @Override
  public FlowStateFormat format() {
    return new FlowStateFormat("partial sums", 1, 0);
  }

  @Override
  public TypeInformation<Tuple2<Integer, Long>> resultType() {
    return Types.TUPLE(Types.INT, Types.LONG);
  }

  @Override
  public void open(FlowContext<Tuple2<Integer, Long>> opened) {
    context = opened;
    sums = new long[KEYS];
  }

  @Override
  public void update(RuledBlock ruled, long[] entries) {
    PacketBlock block = ruled.packets();
    for (int i = 0; i < block.count(); i++) {
      sums[PacketRecord.flowHash(block.segment(), block.offsetOf(i)) & KEYS - 1]++;
    }
  }

  @Override
  public void advance(long nowNs) {
    earliestNs = nowNs;
  }

  @Override
  public void beforeCheckpoint() {
    for (int key = 0; key < KEYS; key++) {
      if (sums[key] > 0) {
        context.emit(Tuple2.of(key, sums[key]), earliestNs);
      }
    }
    Arrays.fill(sums, 0);
  }
}
