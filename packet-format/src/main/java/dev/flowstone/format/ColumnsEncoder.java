// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketColumns.*;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.COLUMN_COUNT;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.DIRECTION_COUNT_OFFSET;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.FLOW_COUNT_OFFSET;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.PAIR_COUNT_OFFSET;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.PROFILE_COUNT_OFFSET;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.TAIL_BYTES;

import dev.flowstone.model.abi.PacketColumnsHeaderLayout;
import java.lang.foreign.MemorySegment;

/**
 * Writes the columnar body, in plain Java. Short passes over the records take them apart into
 * columns of int; then each column is packed. Allocates nothing per packet. Not thread-safe.
 */
final class ColumnsEncoder implements ColumnPacker {
  /** What a column of few rows takes besides them: shape, base and rounding, at each level. */
  private static final int BESIDES_BYTES = 3 * (1 + 4 + 2 + 3);

  private final MessageColumns columns;
  private final FlowColumns flowColumns;
  private final FlowTable flows;
  private final DirectionColumns directions;
  private final ColumnWriter writer;
  private final RecordChunk chunk = new RecordChunk();
  private final int[] senders = new int[RecordChunk.RECORDS];
  private final byte[] body;
  private int previousTime;
  private int kinds;

  ColumnsEncoder(int maxCount) {
    columns = new MessageColumns(maxCount);
    flowColumns = new FlowColumns(maxCount, columns);
    flows = new FlowTable(maxCount);
    directions = new DirectionColumns(maxCount, columns);
    writer = new ColumnWriter(maxCount);
    body = new byte[(int) maxBodyBytes(maxCount)];
  }

  /**
   * No body of count packets is longer: 32 bits for each value of each column, one for where each
   * of its two levels of exceptions are, and slack to write.
   */
  private static long maxBodyBytes(int count) {
    return PacketColumnsHeaderLayout.SIZE_BYTES
        + COLUMN_COUNT * (4L * count + count / 4 + BESIDES_BYTES)
        + TAIL_BYTES
        + BitPacking.SLACK_BYTES;
  }

  @Override
  public MemorySegment pack(
      MemorySegment records, long offsetBytes, int[] selection, int count, int timeBaseLow) {
    flows.clear(count);
    directions.clear(count);
    columns.clear();
    takeApart(records, offsetBytes, selection, count, timeBaseLow);
    if (!PacketKinds.arePackets(kinds)) {
      return MemorySegment.NULL;
    }
    final int lengthBytes =
        write(
            new ColumnRows(
                flowColumns.pairCount(),
                flows.flowCount(),
                directions.profileCount(),
                directions.directionCount(),
                count),
            body);
    return MemorySegment.ofArray(body).asSlice(0, lengthBytes);
  }

  private int write(ColumnRows rows, byte[] target) {
    setCount(target, PAIR_COUNT_OFFSET, rows.pairs());
    setCount(target, FLOW_COUNT_OFFSET, rows.flows());
    setCount(target, PROFILE_COUNT_OFFSET, rows.profiles());
    setCount(target, DIRECTION_COUNT_OFFSET, rows.directions());
    int end = (int) PacketColumnsHeaderLayout.SIZE_BYTES;
    for (int column = 0; column < COLUMN_COUNT; column++) {
      end = columns.write(column, rows.of(column), writer, target, end);
    }
    LittleEndian.LONG.set(target, end, 0L);
    return end + TAIL_BYTES;
  }

  private static void setCount(byte[] target, long offset, int rows) {
    LittleEndian.SHORT.set(target, (int) offset, (short) rows);
  }

  private void takeApart(
      MemorySegment records, long offsetBytes, int[] selection, int count, int timeBaseLow) {
    previousTime = timeBaseLow;
    kinds = 0;
    for (int first = 0; first < count; first += RecordChunk.RECORDS) {
      final int chunkCount = Math.min(RecordChunk.RECORDS, count - first);
      chunk.load(records, offsetBytes, selection, first, chunkCount);
      flows.findSenders(chunk.words, chunkCount, senders);
      addPackets(first, chunkCount);
      directions.add(chunk.words, senders, flows.blocks, first, chunkCount);
    }
    flowColumns.write(flows.blocks, flows.flowCount());
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
