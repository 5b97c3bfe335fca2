// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.source;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.sql.connector.filter.PacketTest;
import dev.flowstone.sql.connector.losses.UntoldLosses;
import dev.flowstone.sql.connector.packets.PacketColumn;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;

/** Blocks become rows, one for each packet that the filter lets through. */
final class PacketRowOperator extends AbstractStreamOperator<RowData>
    implements OneInputStreamOperator<PacketBlock, RowData> {
  private static final long serialVersionUID = 1L;

  private final List<PacketColumn> columns;
  private final List<BlockPlace> places;

  /** Null: every packet. */
  private final PacketTest filter;

  private transient BlockRow row;
  private transient StreamRecord<RowData> record;
  private transient UntoldLosses losses;

  PacketRowOperator(List<PacketColumn> columns, List<BlockPlace> places, PacketTest filter) {
    this.columns = List.copyOf(columns);
    this.places = List.copyOf(places);
    this.filter = filter;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    losses = new UntoldLosses(context.getOperatorStateStore(), getRuntimeContext().getTaskInfo());
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    losses.save();
  }

  @Override
  public void open() throws Exception {
    super.open();
    row = new BlockRow(columns, places);
    record = new StreamRecord<>(row);
  }

  @Override
  public void processElement(StreamRecord<PacketBlock> element) {
    final PacketBlock block = element.getValue();
    final MemorySegment records = block.segment();
    final PacketTest wanted = filter;
    final int count = block.count();
    boolean isFirst = true;
    losses.add(block);
    row.moveTo(block);
    for (int i = 0; i < count; i++) {
      final long at = block.offsetOf(i);
      if (wanted == null || wanted.holds(records, at, block.timeBaseNs())) {
        row.moveTo(i, at, isFirst ? losses.tell(block.stream()) : 0);
        isFirst = false;
        output.collect(record);
      }
    }
    block.requireIntact();
  }
}
