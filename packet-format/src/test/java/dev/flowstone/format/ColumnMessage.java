// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.COLUMN_COUNT;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.DIRECTION_COUNT_OFFSET;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.FLOW_COUNT_OFFSET;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.PAIR_COUNT_OFFSET;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.PROFILE_COUNT_OFFSET;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.TAIL_BYTES;

import dev.flowstone.model.StreamNumber;
import dev.flowstone.model.abi.PacketBatchHeaderLayout;
import dev.flowstone.model.abi.PacketColumns;
import dev.flowstone.model.abi.PacketColumnsHeaderLayout;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * A columnar message taken apart into its counts and column values, which may be changed into what
 * no encoder would write. Written again it has the rows that its counts ask for and a right
 * checksum, so that only a decoder which looks at the values themselves can refuse it.
 */
final class ColumnMessage {
  static final int BODY_OFFSET = (int) PacketBatchHeaderLayout.SIZE_BYTES;
  static final int DATA_OFFSET = BODY_OFFSET + (int) PacketColumnsHeaderLayout.SIZE_BYTES;

  /** Descriptor bits 19 and up of an IPv4 packet: what every direction needs to be accepted. */
  private static final int IPV4_HIGH =
      RecordKind.IPV4 << (PacketRecordLayout.KIND_SHIFT - PacketRecordLayout.TRAFFIC_CLASS_SHIFT);

  final int[][] columns = new int[COLUMN_COUNT][0];
  int pairCount;
  int flowCount;
  int profileCount;
  int directionCount;
  int count;

  /**
   * IPv4 packets whose every value is 0: every row begins a direction, every direction a flow, and
   * each of these has a profile and a pair of its own.
   */
  ColumnMessage(int flowCount, int directionCount, int count) {
    this(flowCount, flowCount, directionCount, directionCount, count);
  }

  ColumnMessage(int pairCount, int flowCount, int profileCount, int directionCount, int count) {
    this.pairCount = pairCount;
    this.flowCount = flowCount;
    this.profileCount = profileCount;
    this.directionCount = directionCount;
    this.count = count;
    fitRows();
    Arrays.fill(columns[PacketColumns.DESCRIPTOR_HIGH], IPV4_HIGH);
  }

  /** The columns that the encoder makes of these records, however few they are. */
  static ColumnMessage of(MemorySegment records, int count) {
    final int header = (int) PacketBatchHeaderLayout.SIZE_BYTES;
    final MemorySegment body =
        new ColumnsEncoder(count).pack(records, 0, null, count, (int) TrafficMix.START_NS);
    final int end = header + (int) body.byteSize();
    final byte[] message = new byte[end];
    MemorySegment.copy(body, ValueLayout.JAVA_BYTE, 0, message, header, end - header);
    return read(message, end, count);
  }

  private static ColumnMessage read(byte[] message, int end, int count) {
    final ColumnMessage read =
        new ColumnMessage(
            shortAt(message, PAIR_COUNT_OFFSET),
            shortAt(message, FLOW_COUNT_OFFSET),
            shortAt(message, PROFILE_COUNT_OFFSET),
            shortAt(message, DIRECTION_COUNT_OFFSET),
            count);
    final ColumnReader reader = new ColumnReader();
    reader.begin(message, DATA_OFFSET, end - TAIL_BYTES);
    for (int column = 0; column < COLUMN_COUNT; column++) {
      reader.read(column, read.columns[column], read.columns[column].length);
    }
    return read;
  }

  private static int shortAt(byte[] message, long bodyOffset) {
    return (short) LittleEndian.SHORT.get(message, BODY_OFFSET + (int) bodyOffset) & 0xffff;
  }

  ColumnMessage copy() {
    final ColumnMessage copy =
        new ColumnMessage(pairCount, flowCount, profileCount, directionCount, count);
    for (int column = 0; column < COLUMN_COUNT; column++) {
      copy.columns[column] = columns[column].clone();
    }
    return copy;
  }

  /** Gives every column the rows that the counts ask for; new ones are 0. */
  void fitRows() {
    final ColumnRows tables =
        new ColumnRows(pairCount, flowCount, profileCount, directionCount, count);
    for (int column = 0; column < COLUMN_COUNT; column++) {
      final int rows = Math.max(0, tables.of(column));
      columns[column] = Arrays.copyOf(columns[column], rows);
    }
  }

  /** The message with a right checksum. */
  byte[] write() {
    final int most = Arrays.stream(columns).mapToInt(values -> values.length).max().orElseThrow();
    final ColumnWriter writer = new ColumnWriter(Math.max(1, most));
    return write((values, target, offset) -> writer.write(values, values.length, target, offset));
  }

  /** The same, with columns written in any way that the format allows. */
  byte[] write(SplittableRandom random) {
    final AnyColumnShape shape = new AnyColumnShape(random);
    return write((values, target, offset) -> shape.write(0, 32, values, target, offset));
  }

  private byte[] write(Writer writer) {
    final int values = Arrays.stream(columns).mapToInt(column -> column.length).sum();
    final byte[] message = new byte[DATA_OFFSET + COLUMN_COUNT * 64 + 5 * values];
    int end = DATA_OFFSET;
    for (int column = 0; column < COLUMN_COUNT; column++) {
      end = writer.write(columns[column], message, end);
    }
    return finish(message, end, PacketBatchHeaderLayout.VERSION);
  }

  /**
   * The same packets as version 2 wrote them; each column's width is any that the format allows.
   */
  byte[] writeVersion2(SplittableRandom random) {
    final byte[] message = Version2Columns.write(this, random);
    return finish(message, message.length - TAIL_BYTES, PacketBatchHeaderLayout.VERSION_2);
  }

  /** Writes one column and returns the offset behind it. */
  private interface Writer {
    int write(int[] values, byte[] target, int offset);
  }

  private byte[] finish(byte[] message, int end, int version) {
    final byte[] written = Arrays.copyOf(message, end + TAIL_BYTES);
    Arrays.fill(written, end, written.length, (byte) 0); // what the packing left behind it
    writeHeaders(written, version);
    sign(written);
    return written;
  }

  private void writeHeaders(byte[] message, int version) {
    final BatchOrigin origin = RoundTrip.ORIGIN;
    new PacketBatchHeader(
            version,
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
    if (version > PacketBatchHeaderLayout.VERSION_2) {
      setShort(message, PAIR_COUNT_OFFSET, pairCount);
      setShort(message, FLOW_COUNT_OFFSET, flowCount);
      setShort(message, PROFILE_COUNT_OFFSET, profileCount);
      setShort(message, DIRECTION_COUNT_OFFSET, directionCount);
    }
  }

  private static void setShort(byte[] message, long bodyOffset, int number) {
    LittleEndian.SHORT.set(message, BODY_OFFSET + (int) bodyOffset, (short) number);
  }

  /** Puts the right checksum into a message, whatever else is in it. */
  static void sign(byte[] message) {
    LittleEndian.INT.set(
        message,
        (int) PacketBatchHeaderLayout.CHECKSUM_OFFSET,
        new BatchChecksum().of(message, message.length));
  }
}
