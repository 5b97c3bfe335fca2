// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketColumns.*;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.COLUMN_COUNT;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.DIRECTION_COUNT_OFFSET;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.FLOW_COUNT_OFFSET;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.TAIL_BYTES;

import dev.flowstone.model.abi.PacketColumnLayout;
import dev.flowstone.model.abi.PacketColumnsHeaderLayout;
import java.lang.foreign.MemorySegment;

/**
 * Writes the columnar body. One pass over the records takes them apart into columns of int; then
 * each column is packed. Allocates nothing per message. Not thread-safe.
 */
final class ColumnsEncoder {
  private static final int DESCRIPTORS_BYTES = COLUMN_COUNT * (int) PacketColumnLayout.SIZE_BYTES;

  private final MessageColumns columns;
  private final FlowTable flows;
  private final StreamColumns streams;
  private final TraitColumns traits;
  private final ColumnWriter writer;
  private final RecordChunk chunk = new RecordChunk();
  private final int[] senders = new int[RecordChunk.RECORDS];
  private int previousTime;
  private int kinds;

  ColumnsEncoder(int maxCount) {
    columns = new MessageColumns(maxCount);
    flows = new FlowTable(maxCount);
    streams = new StreamColumns(maxCount, columns);
    traits = new TraitColumns(maxCount, columns);
    writer = new ColumnWriter(maxCount);
  }

  /**
   * No body of count packets is longer: 33 bits for each value, rounded up, for each column, slack
   * to write.
   */
  static long maxBodyBytes(int count) {
    return PacketColumnsHeaderLayout.SIZE_BYTES
        + DESCRIPTORS_BYTES
        + COLUMN_COUNT * (4L * count + count / 8 + 4)
        + TAIL_BYTES
        + BitPacking.SLACK_BYTES;
  }

  /**
   * Writes the body at offset and returns the offset behind it. Selection null: records 0 to count
   * - 1.
   */
  int encode(
      MemorySegment records,
      long offsetBytes,
      int[] selection,
      int count,
      int timeBaseLow,
      byte[] target,
      int offset) {
    flows.clear(count);
    streams.clear();
    traits.clear();
    columns.clear();
    takeApart(records, offsetBytes, selection, count, timeBaseLow);
    PacketKinds.requirePackets(kinds);
    final int directionCount = streams.directionCount();

    LittleEndian.INT.set(target, offset + (int) FLOW_COUNT_OFFSET, flows.flowCount());
    LittleEndian.INT.set(target, offset + (int) DIRECTION_COUNT_OFFSET, directionCount);
    int descriptorOffset = offset + (int) PacketColumnsHeaderLayout.SIZE_BYTES;
    int dataOffset = descriptorOffset + DESCRIPTORS_BYTES;
    for (int column = 0; column < COLUMN_COUNT; column++) {
      final int rows = ColumnRows.of(column, flows.flowCount(), directionCount, count);
      dataOffset = columns.write(column, rows, writer, target, descriptorOffset, dataOffset);
      descriptorOffset += (int) PacketColumnLayout.SIZE_BYTES;
    }
    LittleEndian.LONG.set(target, dataOffset, 0L);
    return dataOffset + TAIL_BYTES;
  }

  private void takeApart(
      MemorySegment records, long offsetBytes, int[] selection, int count, int timeBaseLow) {
    previousTime = timeBaseLow;
    kinds = 0;
    for (int first = 0; first < count; first += RecordChunk.RECORDS) {
      final int chunkCount = Math.min(RecordChunk.RECORDS, count - first);
      chunk.load(records, offsetBytes, selection, first, chunkCount);
      final int flowsBefore = flows.flowCount();
      flows.findSenders(chunk.words, chunkCount, senders);
      streams.addFlows(flowsBefore, flows.flowCount());
      addPackets(first, chunkCount);
      streams.add(chunk.words, senders, first, chunkCount);
      traits.add(chunk.words, senders, first, chunkCount);
    }
    flows.writeColumns(columns);
  }

  /** The columns that need no earlier packet of the direction. */
  private void addPackets(int first, int chunkCount) {
    final long[] words = chunk.words;
    final int[] times = columns.plain(TIME);
    final int[] flags = columns.plain(TCP_FLAGS);
    final int[] payloads = columns.plain(PAYLOAD_LENGTH);
    int previousTime = this.previousTime;
    int kinds = this.kinds;
    for (int i = 0; i < chunkCount; i++) {
      final int at = i * RecordChunk.WORDS;
      final int packet = first + i;
      final int time = (int) words[at + RecordChunk.TIME_HASH];
      final long attributesAndDescriptor = words[at + RecordChunk.ATTRIBUTES_DESCRIPTOR];
      times[packet] = time - previousTime;
      previousTime = time;
      flags[packet] = Prediction.rotateFlags((int) attributesAndDescriptor >>> 8 & 0xff);
      payloads[packet] = (int) (words[at + RecordChunk.ACKNOWLEDGEMENT_WINDOW_PAYLOAD] >>> 48);
      kinds |= PacketKinds.bit((int) (attributesAndDescriptor >>> 32));
    }
    this.previousTime = previousTime;
    this.kinds = kinds;
  }
}
