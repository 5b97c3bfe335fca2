// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.source;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.sql.connector.filter.PacketTest;
import dev.flowstone.sql.connector.packets.PacketColumn;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

  /** Lost packets that no row has told of, by stream. */
  private transient Map<Long, Long> lost;

  PacketRowOperator(List<PacketColumn> columns, List<BlockPlace> places, PacketTest filter) {
    this.columns = List.copyOf(columns);
    this.places = List.copyOf(places);
    this.filter = filter;
  }

  @Override
  public void open() throws Exception {
    super.open();
    row = new BlockRow(columns, places);
    record = new StreamRecord<>(row);
    lost = new HashMap<>();
  }

  @Override
  public void processElement(StreamRecord<PacketBlock> element) {
    final PacketBlock block = element.getValue();
    final MemorySegment records = block.segment();
    final PacketTest wanted = filter;
    final int count = block.count();
    long unspoken = lostBefore(block);
    row.moveTo(block);
    for (int i = 0; i < count; i++) {
      final long at = block.offsetOf(i);
      if (wanted == null || wanted.holds(records, at, block.timeBaseNs())) {
        row.moveTo(i, at, unspoken);
        unspoken = 0;
        output.collect(record);
      }
    }
    if (unspoken > 0) {
      lost.put(block.stream(), unspoken);
    }
    block.requireIntact();
  }

  private long lostBefore(PacketBlock block) {
    PacketLoss loss = block.lossBefore();
    Long before = lost.isEmpty() ? null : lost.remove(block.stream());
    return loss.inRing() + loss.beforeTap() + (before == null ? 0 : before);
  }
}
