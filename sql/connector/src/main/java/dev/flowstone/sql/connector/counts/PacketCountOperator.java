// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.counts;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.sql.connector.filter.PacketTest;
import dev.flowstone.sql.connector.losses.UntoldLosses;
import dev.flowstone.sql.connector.packets.PacketColumn;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.table.data.RowData;

/**
 * Blocks become counts, by interval and by columns. A count is told when the watermark leaves its
 * interval, before each checkpoint, which so has no count in it but losses that no row has told of,
 * and when there is no more room: a key may have several rows of an interval, of which the sum
 * counts.
 */
public final class PacketCountOperator extends AbstractStreamOperator<RowData>
    implements OneInputStreamOperator<PacketBlock, RowData>, BoundedOneInput {
  private static final long serialVersionUID = 1L;
  private static final long NS_PER_MS = 1_000_000;

  private final List<CountField> fields;
  private final CountKey key;
  private final long intervalMs;

  /** Null: every packet. */
  private final PacketTest filter;

  private transient CountTable table;
  private transient CountRow row;
  private transient StreamRecord<RowData> record;
  private transient long[] words;
  private transient UntoldLosses losses;

  /**
   * @param fields in the row's order
   * @param interval at least a millisecond
   * @param filter null: every packet
   */
  public PacketCountOperator(List<CountField> fields, Duration interval, PacketTest filter) {
    this.fields = List.copyOf(fields);
    this.key = new CountKey(keyColumns(fields));
    this.intervalMs = interval.toMillis();
    this.filter = filter;
  }

  private static PacketColumn[] keyColumns(List<CountField> fields) {
    return fields.stream()
        .filter(CountField.Key.class::isInstance)
        .map(field -> ((CountField.Key) field).column())
        .toArray(PacketColumn[]::new);
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
    table = new CountTable(key.words());
    row = new CountRow(table, key, fields, intervalMs);
    record = new StreamRecord<>(row);
    words = new long[key.words()];
  }

  @Override
  public void processElement(StreamRecord<PacketBlock> element) {
    PacketBlock block = element.getValue();
    losses.add(block);
    if (key.isOfTimeAlone()) {
      countByTime(block);
    } else {
      countByColumns(block);
    }
    block.requireIntact();
  }

  /** Packets of one interval, most of a block at least, are added together. */
  private void countByTime(PacketBlock block) {
    final MemorySegment records = block.segment();
    final long baseNs = block.timeBaseNs();
    final long intervalNs = intervalMs * NS_PER_MS;
    final int count = block.count();
    long beginNs = 0;
    long packets = 0;
    long bytes = 0;
    for (int i = 0; i < count; i++) {
      final long at = block.offsetOf(i);
      if (filter != null && !filter.holds(records, at, baseNs)) {
        continue;
      }
      final long timeNs = PacketRecord.timeNs(PacketRecord.timeLow(records, at), baseNs);
      if (timeNs < beginNs || timeNs - beginNs >= intervalNs) {
        add(beginNs / intervalNs, packets, bytes);
        packets = 0;
        bytes = 0;
        beginNs = Math.floorDiv(timeNs, intervalNs) * intervalNs;
      }
      packets++;
      bytes += PacketRecord.frameLength(PacketRecord.descriptor(records, at));
    }
    add(beginNs / intervalNs, packets, bytes);
  }

  private void add(long interval, long packets, long bytes) {
    if (packets > 0) {
      if (table.isFull()) {
        tell();
      }
      key.readTime(interval, words);
      table.add(words, packets, bytes);
    }
  }

  private void countByColumns(PacketBlock block) {
    final MemorySegment records = block.segment();
    final long baseNs = block.timeBaseNs();
    final long intervalNs = intervalMs * NS_PER_MS;
    final int count = block.count();
    // Dividing takes longer than all the rest, and the next packet is mostly of the same interval.
    long interval = 0;
    long beginNs = 0;
    for (int i = 0; i < count; i++) {
      final long at = block.offsetOf(i);
      if (filter != null && !filter.holds(records, at, baseNs)) {
        continue;
      }
      final long timeNs = PacketRecord.timeNs(PacketRecord.timeLow(records, at), baseNs);
      if (timeNs < beginNs || timeNs - beginNs >= intervalNs) {
        interval = Math.floorDiv(timeNs, intervalNs);
        beginNs = interval * intervalNs;
      }
      if (table.isFull()) {
        tell();
      }
      key.read(records, at, baseNs, interval, words);
      table.add(words, 1, PacketRecord.frameLength(PacketRecord.descriptor(records, at)));
    }
  }

  private void tell() {
    long lost = table.size() == 0 ? 0 : losses.tellAll();
    for (int entry = 0; entry < table.size(); entry++) {
      row.moveTo(entry, lost);
      lost = 0;
      output.collect(record);
    }
    table.clear();
  }

  /** Goes on with the interval that it is in: counts have the time at which theirs begins. */
  @Override
  public void processWatermark(Watermark mark) throws Exception {
    tell();
    super.processWatermark(
        mark.getTimestamp() == Long.MAX_VALUE
            ? mark
            : new Watermark(Math.floorDiv(mark.getTimestamp() + 1, intervalMs) * intervalMs - 1));
  }

  @Override
  public void processWatermarkStatus(WatermarkStatus status) throws Exception {
    tell();
    super.processWatermarkStatus(status);
  }

  @Override
  public void prepareSnapshotPreBarrier(long checkpoint) {
    tell();
  }

  @Override
  public void endInput() {
    tell();
  }
}
