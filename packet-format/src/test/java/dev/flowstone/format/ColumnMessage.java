// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.COLUMN_COUNT;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.DIRECTION_COUNT_OFFSET;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.FLOW_COUNT_OFFSET;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.TAIL_BYTES;

import dev.flowstone.model.StreamNumber;
import dev.flowstone.model.abi.PacketBatchHeaderLayout;
import dev.flowstone.model.abi.PacketColumnLayout;
import dev.flowstone.model.abi.PacketColumns;
import dev.flowstone.model.abi.PacketColumnsHeaderLayout;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * A columnar message taken apart into its counts and column values, which may be changed into what
 * no encoder would write. Written again it has the rows that its counts ask for and a right
 * checksum, so that only a decoder which looks at the values themselves can refuse it.
 */
final class ColumnMessage {
  static final int DESCRIPTORS_OFFSET =
      (int) (PacketBatchHeaderLayout.SIZE_BYTES + PacketColumnsHeaderLayout.SIZE_BYTES);
  static final int DATA_OFFSET =
      DESCRIPTORS_OFFSET + COLUMN_COUNT * (int) PacketColumnLayout.SIZE_BYTES;

  /** Descriptor bits 19 and up of an IPv4 packet: what every direction needs to be accepted. */
  private static final int IPV4_HIGH =
      RecordKind.IPV4 << (PacketRecordLayout.KIND_SHIFT - PacketRecordLayout.TRAFFIC_CLASS_SHIFT);

  final int[][] columns = new int[COLUMN_COUNT][0];
  int flowCount;
  int directionCount;
  int count;

  /**
   * IPv4 packets whose every value is 0; every row begins a direction and every direction a flow.
   */
  ColumnMessage(int flowCount, int directionCount, int count) {
    this.flowCount = flowCount;
    this.directionCount = directionCount;
    this.count = count;
    fitRows();
    Arrays.fill(columns[PacketColumns.DESCRIPTOR_HIGH], IPV4_HIGH);
  }

  /** The columns that the encoder makes of these records, however few they are. */
  static ColumnMessage of(MemorySegment records, int count) {
    final byte[] message =
        new byte[(int) (PacketBatchHeaderLayout.SIZE_BYTES + ColumnsEncoder.maxBodyBytes(count))];
    final int end =
        new ColumnsEncoder(count)
            .encode(
                records,
                0,
                null,
                count,
                (int) TrafficMix.START_NS,
                message,
                (int) PacketBatchHeaderLayout.SIZE_BYTES);
    return read(message, end, count);
  }

  private static ColumnMessage read(byte[] message, int end, int count) {
    final int body = (int) PacketBatchHeaderLayout.SIZE_BYTES;
    final ColumnMessage read =
        new ColumnMessage(
            (int) LittleEndian.INT.get(message, body + (int) FLOW_COUNT_OFFSET),
            (int) LittleEndian.INT.get(message, body + (int) DIRECTION_COUNT_OFFSET),
            count);
    final ColumnReader reader = new ColumnReader();
    int dataOffset = DATA_OFFSET;
    for (int column = 0; column < COLUMN_COUNT; column++) {
      final int[] values = read.columns[column];
      dataOffset =
          reader.read(
              column,
              message,
              descriptorOffset(column),
              dataOffset,
              end - TAIL_BYTES,
              values,
              values.length);
    }
    return read;
  }

  ColumnMessage copy() {
    final ColumnMessage copy = new ColumnMessage(flowCount, directionCount, count);
    for (int column = 0; column < COLUMN_COUNT; column++) {
      copy.columns[column] = columns[column].clone();
    }
    return copy;
  }

  /** Gives every column the rows that the counts ask for; new ones are 0. */
  void fitRows() {
    for (int column = 0; column < COLUMN_COUNT; column++) {
      final int rows = Math.max(0, ColumnRows.of(column, flowCount, directionCount, count));
      columns[column] = Arrays.copyOf(columns[column], rows);
    }
  }

  /** The message with a right checksum. */
  byte[] write() {
    final int most = Arrays.stream(columns).mapToInt(values -> values.length).max().orElseThrow();
    final ColumnWriter writer = new ColumnWriter(Math.max(1, most));
    final byte[] message =
        new byte[(int) (PacketBatchHeaderLayout.SIZE_BYTES + ColumnsEncoder.maxBodyBytes(most))];
    int dataOffset = DATA_OFFSET;
    for (int column = 0; column < COLUMN_COUNT; column++) {
      final int[] values = columns[column];
      dataOffset =
          writer.write(values, values.length, message, descriptorOffset(column), dataOffset);
    }
    final byte[] written = Arrays.copyOf(message, dataOffset + TAIL_BYTES);
    Arrays.fill(written, dataOffset, written.length, (byte) 0); // what the packing left behind it
    writeHeaders(written);
    sign(written);
    return written;
  }

  private void writeHeaders(byte[] message) {
    final BatchOrigin origin = RoundTrip.ORIGIN;
    new PacketBatchHeader(
            PacketBatchHeaderLayout.VERSION,
            BodyKind.COLUMNS,
            count,
            StreamNumber.ring(origin.stream()),
            origin.stream(),
            origin.rule(),
            origin.incarnation(),
            origin.firstPosition(),
            PacketBatchEncoder.MAX_COUNT,
            origin.samplingWeight(),
            origin.timeBaseNs(),
            origin.lossBefore(),
            origin.clockTrusted())
        .write(message);
    final int body = (int) PacketBatchHeaderLayout.SIZE_BYTES;
    LittleEndian.INT.set(message, body + (int) FLOW_COUNT_OFFSET, flowCount);
    LittleEndian.INT.set(message, body + (int) DIRECTION_COUNT_OFFSET, directionCount);
  }

  /** Puts the right checksum into a message, whatever else is in it. */
  static void sign(byte[] message) {
    LittleEndian.INT.set(
        message,
        (int) PacketBatchHeaderLayout.CHECKSUM_OFFSET,
        new BatchChecksum().of(message, message.length));
  }

  private static int descriptorOffset(int column) {
    return DESCRIPTORS_OFFSET + column * (int) PacketColumnLayout.SIZE_BYTES;
  }
}
