// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.offheap.flows.FlowTable;
import dev.flowstone.operators.ruled.RuledBlock;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;

/** As small as a function gets: packets of each flow, told at the end of time. */
final class CountingFunction implements FlowFunction<Long> {
  private static final long serialVersionUID = 1L;

  private transient FlowContext<Long> context;

  @Override
  public FlowStateFormat format() {
    return new FlowStateFormat("count", 3, Long.BYTES);
  }

  @Override
  public TypeInformation<Long> resultType() {
    return Types.LONG;
  }

  @Override
  public void open(FlowContext<Long> opened) {
    context = opened;
  }

  @Override
  public void update(RuledBlock ruled, long[] entries) {
    MemorySegment memory = context.table().memory();
    PacketBlock block = ruled.packets();
    for (int i = 0; i < block.count(); i++) {
      if (entries[i] != FlowTable.NO_ROOM) {
        long count = entries[i] + context.stateOffset();
        memory.set(ValueLayout.JAVA_LONG, count, memory.get(ValueLayout.JAVA_LONG, count) + 1);
      }
    }
  }

  @Override
  public void advance(long earliestNs) {
    if (earliestNs == Long.MAX_VALUE) {
      MemorySegment memory = context.table().memory();
      context
          .table()
          .forEach(
              entry ->
                  context.emit(
                      memory.get(ValueLayout.JAVA_LONG, entry + context.stateOffset()), 0));
    }
  }
}
