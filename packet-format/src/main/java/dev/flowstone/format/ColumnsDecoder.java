// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.format.LittleEndian.ADDRESS_LAYOUT;
import static dev.flowstone.format.LittleEndian.INT_LAYOUT;
import static dev.flowstone.model.abi.PacketColumns.*;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.COLUMN_COUNT;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.DIRECTION_COUNT_OFFSET;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.FLOW_COUNT_OFFSET;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.TAIL_BYTES;
import static dev.flowstone.model.abi.PacketRecordLayout.*;

import dev.flowstone.model.abi.PacketColumnLayout;
import dev.flowstone.model.abi.PacketColumnsHeaderLayout;
import java.lang.foreign.MemorySegment;

/**
 * Reads the columnar body: unpacks every column, then puts the records together in one pass. Not
 * thread-safe.
 */
final class ColumnsDecoder {
  /** Offsets within the body. */
  private static final int DESCRIPTORS_OFFSET = (int) PacketColumnsHeaderLayout.SIZE_BYTES;

  private static final int DATA_OFFSET =
      DESCRIPTORS_OFFSET + COLUMN_COUNT * (int) PacketColumnLayout.SIZE_BYTES;
  private static final int NONE = -1;

  private final int[][] columns = new int[COLUMN_COUNT][0];
  private final ColumnReader reader = new ColumnReader();
  private Directions directions = new Directions(0);
  private int[] flowOfDirection = new int[0];
  private int[] sideOfDirection = new int[0];
  private int[] firstDirection = new int[0];
  private int[] secondDirection = new int[0];
  private int[] hashes = new int[0];
  private int flowCount;
  private int directionCount;

  /** Decodes the body of a message into count records from offset 0 of the target. */
  void decode(byte[] message, PacketBatchHeader header, MemorySegment target) {
    readCounts(message, header.lengthBytes(), header.count());
    readColumns(message, header.lengthBytes(), header.count());
    requireEveryDirectionBegins(header.count());
    startFlows();
    completeHashes();
    putTogether(header, target);
  }

  private void readCounts(byte[] message, int bodyOffset, int count) {
    require(
        message.length >= bodyOffset + DATA_OFFSET + TAIL_BYTES,
        "body",
        "message of " + message.length + " bytes is shorter than the column descriptors");
    flowCount = (int) LittleEndian.INT.get(message, bodyOffset + (int) FLOW_COUNT_OFFSET);
    directionCount = (int) LittleEndian.INT.get(message, bodyOffset + (int) DIRECTION_COUNT_OFFSET);
    require(
        directionCount >= 0 && directionCount <= count,
        "columns.direction_count",
        directionCount + " directions of " + count + " packets");
    require(
        flowCount >= 0 && flowCount <= directionCount,
        "columns.flow_count",
        flowCount + " flows of " + directionCount + " directions");
  }

  private void readColumns(byte[] message, int bodyOffset, int count) {
    final int dataEnd = message.length - TAIL_BYTES;
    int dataOffset = bodyOffset + DATA_OFFSET;
    for (int column = 0; column < COLUMN_COUNT; column++) {
      final int rows = ColumnRows.of(column, flowCount, directionCount, count);
      if (columns[column].length < rows) {
        columns[column] = new int[rows];
      }
      final int descriptorOffset =
          bodyOffset + DESCRIPTORS_OFFSET + column * (int) PacketColumnLayout.SIZE_BYTES;
      dataOffset =
          reader.read(
              column, message, descriptorOffset, dataOffset, dataEnd, columns[column], rows);
    }
    require(dataOffset == dataEnd, "body", "columns end at " + dataOffset + ", data at " + dataEnd);
    require(
        (long) LittleEndian.LONG.get(message, dataEnd) == 0,
        "body.tail",
        "the last 8 bytes are not zero");
  }

  /**
   * As many packets begin a direction as the direction table has rows; then the others are as many
   * as the rows of the following packets. Asked once per message, so that {@link #putTogether}
   * stays within both tables and need not ask for every packet.
   */
  private void requireEveryDirectionBegins(int count) {
    final int[] codes = columns[DIRECTION];
    int begun = 0;
    for (int i = 0; i < count; i++) {
      begun += codes[i] == 0 ? 1 : 0;
    }
    require(
        begun == directionCount,
        "column direction",
        begun
            + " of "
            + count
            + " packets begin a direction, direction_count is "
            + directionCount);
  }

  /** Gives every direction its flow and its sending endpoint. */
  private void startFlows() {
    reserveDirections();
    int flowsStarted = 0;
    for (int direction = 0; direction < directionCount; direction++) {
      final int code = columns[DIRECTION_FLOW][direction];
      if (code == 0) {
        if (flowsStarted == flowCount) {
          throw new PacketBatchException(
              "column direction_flow", "more than " + flowCount + " flows begin");
        }
        flowOfDirection[direction] = flowsStarted;
        sideOfDirection[direction] = columns[FIRST_FROM_B][flowsStarted] & 1;
        firstDirection[flowsStarted] = direction;
        secondDirection[flowsStarted++] = NONE;
      } else {
        startSecondDirection(direction, code - 1, flowsStarted);
      }
    }
    require(
        flowsStarted == flowCount,
        "column direction_flow",
        flowsStarted + " flows begin, not " + flowCount);
  }

  private void startSecondDirection(int direction, int flow, int flowsStarted) {
    if (flow < 0 || flow >= flowsStarted || secondDirection[flow] != NONE) {
      throw new PacketBatchException(
          "column direction_flow",
          "row "
              + direction
              + " names flow "
              + Integer.toUnsignedString(flow)
              + ", which awaits no second direction");
    }
    secondDirection[flow] = direction;
    flowOfDirection[direction] = flow;
    sideOfDirection[direction] = 1 - sideOfDirection[firstDirection[flow]];
  }

  private void reserveDirections() {
    if (flowOfDirection.length < directionCount) {
      flowOfDirection = new int[directionCount];
      sideOfDirection = new int[directionCount];
      firstDirection = new int[directionCount];
      secondDirection = new int[directionCount];
      hashes = new int[directionCount];
      directions = new Directions(directionCount);
    }
  }

  private void putTogether(PacketBatchHeader header, MemorySegment target) {
    final int count = header.count();
    int time = (int) header.timeBaseNs();
    int directionsStarted = 0;
    for (int i = 0; i < count; i++) {
      final int payload = columns[PAYLOAD_LENGTH][i] & 0xffff;
      final int code = columns[DIRECTION][i];
      final int direction = code == 0 ? directionsStarted : code - 1;
      if (code == 0) {
        directionsStarted++;
        start(direction, payload);
      } else {
        if (direction < 0 || direction >= directionsStarted) {
          throw new PacketBatchException(
              "column direction",
              "row "
                  + i
                  + " names direction "
                  + Integer.toUnsignedString(direction)
                  + " of "
                  + directionsStarted);
        }
        follow(i - directionsStarted, direction, payload);
      }
      time += columns[TIME][i];
      write(
          target,
          i * SIZE_BYTES,
          time,
          direction,
          payload,
          Prediction.restoreFlags(columns[TCP_FLAGS][i]));
    }
  }

  /**
   * Until {@link #write} has made it the next packet's expectation, NEXT_SEQUENCE holds this
   * packet's own sequence.
   */
  private void start(int direction, int payload) {
    final int flow = flowOfDirection[direction];
    int expectedSequence = 0;
    int expectedAcknowledgement = 0;
    final int protocol = columns[PROTOCOL][flow] & 0xff;
    if (protocol == Prediction.TCP) {
      final int opposite = oppositeOf(direction, flow);
      if (opposite != NONE) {
        expectedSequence = directions.words[Directions.at(opposite) + Directions.ACKNOWLEDGEMENT];
        expectedAcknowledgement =
            directions.words[Directions.at(opposite) + Directions.NEXT_SEQUENCE];
      }
    } else if (protocol == Prediction.UDP) {
      expectedSequence =
          port(flow, sideOfDirection[direction]) << 16 | port(flow, 1 - sideOfDirection[direction]);
      expectedAcknowledgement = Prediction.udpLengthWord(payload);
    }
    final int[] state = directions.words;
    final int first = Directions.at(direction);
    state[first + Directions.NEXT_SEQUENCE] =
        expectedSequence + ZigZag.decode(columns[FIRST_SEQUENCE][direction]);
    state[first + Directions.ACKNOWLEDGEMENT] =
        expectedAcknowledgement + ZigZag.decode(columns[FIRST_ACKNOWLEDGEMENT][direction]);
    state[first + Directions.WINDOW] = columns[FIRST_WINDOW][direction] & 0xffff;
    state[first + Directions.OVERHEAD] = columns[FIRST_OVERHEAD][direction];
    state[first + Directions.TRAITS] =
        (columns[TIME_TO_LIVE][direction] & 0xff)
            | (columns[TYPE_OF_SERVICE][direction] & 0xff) << 8
            | columns[DESCRIPTOR_HIGH][direction] << 16;
  }

  private int oppositeOf(int direction, int flow) {
    final int first = firstDirection[flow];
    return first == direction ? NONE : first;
  }

  private void follow(int row, int direction, int payload) {
    final int[] state = directions.words;
    final int latest = Directions.at(direction);
    final boolean udp = (columns[PROTOCOL][flowOfDirection[direction]] & 0xff) == Prediction.UDP;
    final int expectedAcknowledgement =
        udp ? Prediction.udpLengthWord(payload) : state[latest + Directions.ACKNOWLEDGEMENT];
    state[latest + Directions.NEXT_SEQUENCE] += ZigZag.decode(columns[SEQUENCE][row]);
    state[latest + Directions.ACKNOWLEDGEMENT] =
        expectedAcknowledgement + ZigZag.decode(columns[ACKNOWLEDGEMENT][row]);
    state[latest + Directions.WINDOW] =
        (state[latest + Directions.WINDOW] + ZigZag.decode(columns[WINDOW][row])) & 0xffff;
    state[latest + Directions.OVERHEAD] += ZigZag.decode(columns[OVERHEAD][row]);
    state[latest + Directions.TRAITS] += ZigZag.decode(columns[TRAITS][row]);
  }

  private void write(
      MemorySegment target, long at, int time, int direction, int payload, int tcpFlags) {
    final int flow = flowOfDirection[direction];
    final int side = sideOfDirection[direction];
    final int protocol = columns[PROTOCOL][flow] & 0xff;
    final int[] state = directions.words;
    final int latest = Directions.at(direction);
    final int sequence = state[latest + Directions.NEXT_SEQUENCE];
    final int traits = state[latest + Directions.TRAITS];
    final int frameLength = state[latest + Directions.OVERHEAD] + payload & FRAME_LENGTH_MASK;
    target.set(INT_LAYOUT, at + TIME_LOW_OFFSET, time);
    target.set(INT_LAYOUT, at + FLOW_HASH_OFFSET, flowHash(flow));
    writeAddress(target, at + SOURCE_ADDRESS_OFFSET, flow, side);
    writeAddress(target, at + DESTINATION_ADDRESS_OFFSET, flow, 1 - side);
    target.set(INT_LAYOUT, at + SOURCE_PORT_OFFSET, port(flow, side) | port(flow, 1 - side) << 16);
    target.set(INT_LAYOUT, at + SEQUENCE_OFFSET, sequence);
    target.set(INT_LAYOUT, at + ACKNOWLEDGEMENT_OFFSET, state[latest + Directions.ACKNOWLEDGEMENT]);
    target.set(
        INT_LAYOUT, at + TCP_WINDOW_OFFSET, state[latest + Directions.WINDOW] | payload << 16);
    target.set(
        INT_LAYOUT,
        at + PROTOCOL_OFFSET,
        protocol | tcpFlags << 8 | (traits >>> 8 & 0xff) << 16 | (traits & 0xff) << 24);
    target.set(
        INT_LAYOUT, at + DESCRIPTOR_OFFSET, frameLength | traits >>> 16 << TRAFFIC_CLASS_SHIFT);
    state[latest + Directions.NEXT_SEQUENCE] =
        Prediction.nextSequence(protocol, sequence, payload, tcpFlags);
  }

  private void writeAddress(MemorySegment target, long at, int flow, int side) {
    final int first = side == 0 ? A_ADDRESS_0 : B_ADDRESS_0;
    target.set(ADDRESS_LAYOUT, at, addressWord(first, flow));
    target.set(ADDRESS_LAYOUT, at + 8, addressWord(first + 2, flow));
  }

  private long addressWord(int firstColumn, int flow) {
    return (long) columns[firstColumn][flow] << 32
        | (columns[firstColumn + 1][flow] & 0xffff_ffffL);
  }

  private int port(int flow, int side) {
    return columns[side == 0 ? A_PORT : B_PORT][flow] & 0xffff;
  }

  /** Once per flow rather than once per packet. */
  private void completeHashes() {
    for (int flow = 0; flow < flowCount; flow++) {
      hashes[flow] =
          columns[FLOW_HASH][flow]
              ^ FlowHashPrediction.predict(
                  addressWord(A_ADDRESS_0, flow),
                  addressWord(A_ADDRESS_2, flow),
                  addressWord(B_ADDRESS_0, flow),
                  addressWord(B_ADDRESS_2, flow),
                  port(flow, 0),
                  port(flow, 1),
                  columns[PROTOCOL][flow] & 0xff);
    }
  }

  private int flowHash(int flow) {
    return hashes[flow];
  }

  private static void require(boolean holds, String place, String reason) {
    if (!holds) {
      throw new PacketBatchException(place, reason);
    }
  }
}
