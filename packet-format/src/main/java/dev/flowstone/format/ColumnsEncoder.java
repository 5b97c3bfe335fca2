// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketColumns.*;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.COLUMN_COUNT;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.DIRECTION_COUNT_OFFSET;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.FLOW_COUNT_OFFSET;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.TAIL_BYTES;
import static dev.flowstone.model.abi.PacketRecordLayout.FRAME_LENGTH_MASK;
import static dev.flowstone.model.abi.PacketRecordLayout.TRAFFIC_CLASS_SHIFT;

import dev.flowstone.model.abi.PacketColumnLayout;
import dev.flowstone.model.abi.PacketColumnsHeaderLayout;
import java.lang.foreign.MemorySegment;

/**
 * Writes the columnar body. One pass over the records takes them apart into columns of int; then
 * each column is packed. Allocates nothing per message. Not thread-safe.
 */
final class ColumnsEncoder {
  private static final int DESCRIPTORS_BYTES = COLUMN_COUNT * (int) PacketColumnLayout.SIZE_BYTES;

  private static final long HIGH_WORD = 0xffff_ffff_0000_0000L;

  private final int[][] columns;
  private final FlowTable flows;
  private final Directions directions;
  private final ColumnWriter writer;
  private final RecordChunk chunk = new RecordChunk();
  private int directionCount;
  private int followingCount;
  private int previousTime;
  private int kinds;

  ColumnsEncoder(int maxCount) {
    columns = new int[COLUMN_COUNT][maxCount];
    flows = new FlowTable(maxCount, columns);
    directions = new Directions(maxCount);
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
    directionCount = 0;
    followingCount = 0;
    takeApart(records, offsetBytes, selection, count, timeBaseLow);
    PacketKinds.requirePackets(kinds);

    LittleEndian.INT.set(target, offset + (int) FLOW_COUNT_OFFSET, flows.flowCount());
    LittleEndian.INT.set(target, offset + (int) DIRECTION_COUNT_OFFSET, directionCount);
    int descriptorOffset = offset + (int) PacketColumnsHeaderLayout.SIZE_BYTES;
    int dataOffset = descriptorOffset + DESCRIPTORS_BYTES;
    for (int column = 0; column < COLUMN_COUNT; column++) {
      final int rows = ColumnRows.of(column, flows.flowCount(), directionCount, count);
      dataOffset = writer.write(columns[column], rows, target, descriptorOffset, dataOffset);
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
      takeApartChunk(chunk.words, first, chunkCount);
    }
  }

  private void takeApartChunk(long[] words, int first, int chunkCount) {
    final FlowTable flows = this.flows;
    final int[] state = directions.words;
    final int[] times = columns[TIME];
    final int[] packetDirections = columns[DIRECTION];
    final int[] flagColumn = columns[TCP_FLAGS];
    final int[] payloads = columns[PAYLOAD_LENGTH];
    int previousTime = this.previousTime;
    int kinds = this.kinds;
    for (int i = 0; i < chunkCount; i++) {
      final int at = i * RecordChunk.WORDS;
      final int packet = first + i;
      final long timeAndHash = words[at + RecordChunk.TIME_HASH];
      final int time = (int) timeAndHash;
      times[packet] = time - previousTime;
      previousTime = time;

      final long portsAndSequence = words[at + RecordChunk.PORTS_SEQUENCE];
      final long acknowledgementWindowPayload =
          words[at + RecordChunk.ACKNOWLEDGEMENT_WINDOW_PAYLOAD];
      final long attributesAndDescriptor = words[at + RecordChunk.ATTRIBUTES_DESCRIPTOR];
      final int ports = (int) portsAndSequence;
      final int sequence = (int) (portsAndSequence >>> 32);
      final int acknowledgement = (int) acknowledgementWindowPayload;
      final int window = (int) (acknowledgementWindowPayload >>> 32) & 0xffff;
      final int payload = (int) (acknowledgementWindowPayload >>> 48);
      final int attributes = (int) attributesAndDescriptor;
      final int descriptor = (int) (attributesAndDescriptor >>> 32);
      kinds |= PacketKinds.bit(descriptor);
      final int protocol = attributes & 0xff;
      final int tcpFlags = attributes >>> 8 & 0xff;
      flagColumn[packet] = Prediction.rotateFlags(tcpFlags);
      payloads[packet] = payload;

      final long sourceHigh = words[at + RecordChunk.SOURCE_HIGH];
      final long sourceLow = words[at + RecordChunk.SOURCE_LOW];
      final long destinationHigh = words[at + RecordChunk.DESTINATION_HIGH];
      final long destinationLow = words[at + RecordChunk.DESTINATION_LOW];
      final int sourcePort = ports & 0xffff;
      final int destinationPort = ports >>> 16;
      final int side =
          sourcePort != destinationPort
              ? (sourcePort - destinationPort) >>> 31
              : sideByAddress(sourceHigh, sourceLow, destinationHigh, destinationLow);
      // Endpoints change places without a branch: which side sends is as good as random.
      final long exchange = -(long) side;
      final long high = (sourceHigh ^ destinationHigh) & exchange;
      final long low = (sourceLow ^ destinationLow) & exchange;
      final int port = (sourcePort ^ destinationPort) & (int) exchange;
      final long hashAndPorts =
          (timeAndHash & HIGH_WORD) | (long) (sourcePort ^ port) << 16 | (destinationPort ^ port);
      final int flowsBefore = flows.flowCount();
      final int flow =
          flows.findOrAdd(
              sourceHigh ^ high,
              sourceLow ^ low,
              destinationHigh ^ high,
              destinationLow ^ low,
              hashAndPorts,
              protocol);

      final int overhead = (descriptor & FRAME_LENGTH_MASK) - payload;
      final int traits =
          attributes >>> 24
              | (attributes >>> 16 & 0xff) << 8
              | descriptor >>> TRAFFIC_CLASS_SHIFT << 16;
      int direction = flows.direction(flow, side);
      if (direction < 0) {
        packetDirections[packet] = 0;
        direction = directionCount++;
        startDirection(direction, flow, side, flow == flowsBefore);
        startValues(
            direction,
            flow,
            side,
            protocol,
            ports,
            payload,
            sequence,
            acknowledgement,
            window,
            overhead,
            traits);
      } else {
        packetDirections[packet] = 1 + direction;
        follow(direction, protocol, payload, sequence, acknowledgement, window, overhead, traits);
      }
      final int latest = Directions.at(direction);
      state[latest + Directions.NEXT_SEQUENCE] =
          Prediction.nextSequence(protocol, sequence, payload, tcpFlags);
      state[latest + Directions.ACKNOWLEDGEMENT] = acknowledgement;
      state[latest + Directions.WINDOW] = window;
      state[latest + Directions.OVERHEAD] = overhead;
      state[latest + Directions.TRAITS] = traits;
    }
    this.previousTime = previousTime;
    this.kinds = kinds;
  }

  /**
   * Endpoint A is the one with the higher port; where ports are equal, that with the higher
   * address.
   */
  private static int sideByAddress(
      long sourceHigh, long sourceLow, long destinationHigh, long destinationLow) {
    final int order = Long.compareUnsigned(sourceHigh, destinationHigh);
    return (order != 0 ? order : Long.compareUnsigned(sourceLow, destinationLow)) >= 0 ? 0 : 1;
  }

  private void startDirection(int direction, int flow, int side, boolean newFlow) {
    if (newFlow) {
      columns[FIRST_FROM_B][flow] = side;
      columns[DIRECTION_FLOW][direction] = 0;
    } else {
      columns[DIRECTION_FLOW][direction] = 1 + flow;
    }
    flows.setDirection(flow, side, direction);
  }

  private void startValues(
      int direction,
      int flow,
      int side,
      int protocol,
      int ports,
      int payload,
      int sequence,
      int acknowledgement,
      int window,
      int overhead,
      int traits) {
    int expectedSequence = 0;
    int expectedAcknowledgement = 0;
    if (protocol == Prediction.TCP) {
      final int opposite = flows.direction(flow, 1 - side);
      if (opposite >= 0) {
        final int latest = Directions.at(opposite);
        expectedSequence = directions.words[latest + Directions.ACKNOWLEDGEMENT];
        expectedAcknowledgement = directions.words[latest + Directions.NEXT_SEQUENCE];
      }
    } else if (protocol == Prediction.UDP) {
      expectedSequence =
          ports << 16 | ports >>> 16; // the header's first word: source port, destination port
      expectedAcknowledgement = Prediction.udpLengthWord(payload);
    }
    columns[TIME_TO_LIVE][direction] = traits & 0xff;
    columns[TYPE_OF_SERVICE][direction] = traits >>> 8 & 0xff;
    columns[DESCRIPTOR_HIGH][direction] = traits >>> 16;
    columns[FIRST_WINDOW][direction] = window;
    columns[FIRST_SEQUENCE][direction] = ZigZag.encode(sequence - expectedSequence);
    columns[FIRST_ACKNOWLEDGEMENT][direction] =
        ZigZag.encode(acknowledgement - expectedAcknowledgement);
    columns[FIRST_OVERHEAD][direction] = overhead;
  }

  private void follow(
      int direction,
      int protocol,
      int payload,
      int sequence,
      int acknowledgement,
      int window,
      int overhead,
      int traits) {
    final int[] state = directions.words;
    final int previous = Directions.at(direction);
    final int row = followingCount++;
    final int expectedAcknowledgement =
        protocol == Prediction.UDP
            ? Prediction.udpLengthWord(payload)
            : state[previous + Directions.ACKNOWLEDGEMENT];
    columns[SEQUENCE][row] = ZigZag.encode(sequence - state[previous + Directions.NEXT_SEQUENCE]);
    columns[ACKNOWLEDGEMENT][row] = ZigZag.encode(acknowledgement - expectedAcknowledgement);
    columns[WINDOW][row] = ZigZag.encode((short) (window - state[previous + Directions.WINDOW]));
    columns[OVERHEAD][row] = ZigZag.encode(overhead - state[previous + Directions.OVERHEAD]);
    columns[TRAITS][row] = ZigZag.encode(traits - state[previous + Directions.TRAITS]);
  }
}
