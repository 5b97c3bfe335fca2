// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.format.DirectionTable.*;
import static dev.flowstone.format.LittleEndian.LONG_LAYOUT;
import static dev.flowstone.model.abi.PacketColumns.ACKNOWLEDGEMENT;
import static dev.flowstone.model.abi.PacketColumns.DIRECTION;
import static dev.flowstone.model.abi.PacketColumns.FIRST_ACKNOWLEDGEMENT;
import static dev.flowstone.model.abi.PacketColumns.FIRST_SEQUENCE;
import static dev.flowstone.model.abi.PacketColumns.OVERHEAD_STEP;
import static dev.flowstone.model.abi.PacketColumns.PAYLOAD_LENGTH;
import static dev.flowstone.model.abi.PacketColumns.SEQUENCE;
import static dev.flowstone.model.abi.PacketColumns.TCP_FLAGS;
import static dev.flowstone.model.abi.PacketColumns.TIME;
import static dev.flowstone.model.abi.PacketColumns.TRAIT_STEP;
import static dev.flowstone.model.abi.PacketColumns.WINDOW_STEP;
import static dev.flowstone.model.abi.PacketRecordLayout.FRAME_LENGTH_MASK;
import static dev.flowstone.model.abi.PacketRecordLayout.SIZE_BYTES;
import static dev.flowstone.model.abi.PacketRecordLayout.TRAFFIC_CLASS_SHIFT;

import java.lang.foreign.MemorySegment;

/**
 * Reads the columnar body: unpacks every column, then puts the records together in one pass. Not
 * thread-safe.
 */
final class ColumnsDecoder {
  private static final long LOWER = 0xffff_ffffL;

  private final MessageTables tables = new MessageTables();
  private final DirectionTable directions = new DirectionTable();

  /** Decodes the body of a message into count records from offset 0 of the target. */
  void decode(byte[] message, PacketBatchHeader header, MemorySegment target) {
    tables.read(message, header);
    requireEveryDirectionBegins(header.count());
    directions.begin(tables);
    putTogether(header, target);
  }

  /**
   * As many packets begin a direction as the direction table has rows; then the others are as many
   * as the rows of the following packets. Asked once per message, so that {@link #putTogether}
   * stays within both tables and need not ask for every packet.
   */
  private void requireEveryDirectionBegins(int count) {
    final int[] codes = tables.columns[DIRECTION];
    int begun = 0;
    for (int i = 0; i < count; i++) {
      begun += codes[i] == 0 ? 1 : 0;
    }
    final int directions = tables.rows().directions();
    if (begun != directions) {
      throw new PacketBatchException(
          "column direction",
          begun + " of " + count + " packets begin a direction, direction_count is " + directions);
    }
  }

  private void putTogether(PacketBatchHeader header, MemorySegment target) {
    final int[][] columns = tables.columns;
    final int count = header.count();
    int time = (int) header.timeBaseNs();
    int begun = 0;
    for (int i = 0; i < count; i++) {
      final int payload = columns[PAYLOAD_LENGTH][i] & 0xffff;
      final int code = columns[DIRECTION][i];
      final int direction = code == 0 ? begun : code - 1;
      if (code == 0) {
        begun++;
        start(direction, payload);
      } else {
        if (direction < 0 || direction >= begun) {
          throw new PacketBatchException(
              "column direction",
              "row "
                  + i
                  + " names direction "
                  + Integer.toUnsignedString(direction)
                  + " of "
                  + begun);
        }
        follow(i - begun, direction, payload);
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
    final int[] latest = directions.latest;
    final int protocol = protocolOf(direction);
    final int opposite = directions.opposite[direction];
    int expectedSequence = 0;
    int expectedAcknowledgement = 0;
    if (protocol == Prediction.TCP && opposite != NONE) {
      final int words = opposite << LATEST_WORDS_LOG2;
      expectedSequence = latest[words + LATEST_ACKNOWLEDGEMENT];
      expectedAcknowledgement = latest[words + NEXT_SEQUENCE];
    } else if (protocol == Prediction.UDP) {
      final int ports = (int) directions.shared[(direction << SHARED_WORDS_LOG2) + PORTS];
      expectedSequence = ports << 16 | ports >>> 16;
      expectedAcknowledgement = Prediction.udpLengthWord(payload);
    }
    final int words = direction << LATEST_WORDS_LOG2;
    latest[words + NEXT_SEQUENCE] =
        expectedSequence + ZigZag.decode(tables.columns[FIRST_SEQUENCE][direction]);
    latest[words + LATEST_ACKNOWLEDGEMENT] =
        expectedAcknowledgement + ZigZag.decode(tables.columns[FIRST_ACKNOWLEDGEMENT][direction]);
  }

  private void follow(int row, int direction, int payload) {
    final int[][] columns = tables.columns;
    final int[] latest = directions.latest;
    final int words = direction << LATEST_WORDS_LOG2;
    final int expectedAcknowledgement =
        protocolOf(direction) == Prediction.UDP
            ? Prediction.udpLengthWord(payload)
            : latest[words + LATEST_ACKNOWLEDGEMENT];
    latest[words + NEXT_SEQUENCE] += ZigZag.decode(columns[SEQUENCE][row]);
    latest[words + LATEST_ACKNOWLEDGEMENT] =
        expectedAcknowledgement + ZigZag.decode(columns[ACKNOWLEDGEMENT][row]);
    latest[words + WINDOW] += ZigZag.decode(columns[WINDOW_STEP][row]);
    latest[words + OVERHEAD] += ZigZag.decode(columns[OVERHEAD_STEP][row]);
    latest[words + TRAITS] += ZigZag.decode(columns[TRAIT_STEP][row]);
  }

  private int protocolOf(int direction) {
    return (int) directions.shared[(direction << SHARED_WORDS_LOG2) + PROTOCOL_WORD];
  }

  private void write(
      MemorySegment target, long at, int time, int direction, int payload, int tcpFlags) {
    final long[] shared = directions.shared;
    final int[] latest = directions.latest;
    final int words = direction << SHARED_WORDS_LOG2;
    final int known = direction << LATEST_WORDS_LOG2;
    final int sequence = latest[known + NEXT_SEQUENCE];
    final int traits = latest[known + TRAITS];
    final int protocol = (int) shared[words + PROTOCOL_WORD];
    final int windowAndPayload = (latest[known + WINDOW] & 0xffff) | payload << 16;
    final int attributes =
        protocol | tcpFlags << 8 | (traits >>> 8 & 0xff) << 16 | (traits & 0xff) << 24;
    final int descriptor =
        ((latest[known + OVERHEAD] + payload) & FRAME_LENGTH_MASK)
            | traits >>> 16 << TRAFFIC_CLASS_SHIFT;
    target.set(LONG_LAYOUT, at, shared[words + HASH] | (time & LOWER));
    target.set(LONG_LAYOUT, at + 8, shared[words + SOURCE_HIGH]);
    target.set(LONG_LAYOUT, at + 16, shared[words + SOURCE_LOW]);
    target.set(LONG_LAYOUT, at + 24, shared[words + DESTINATION_HIGH]);
    target.set(LONG_LAYOUT, at + 32, shared[words + DESTINATION_LOW]);
    target.set(LONG_LAYOUT, at + 40, shared[words + PORTS] | (long) sequence << 32);
    target.set(
        LONG_LAYOUT,
        at + 48,
        (latest[known + LATEST_ACKNOWLEDGEMENT] & LOWER) | (long) windowAndPayload << 32);
    target.set(LONG_LAYOUT, at + 56, (attributes & LOWER) | (long) descriptor << 32);
    latest[known + NEXT_SEQUENCE] = Prediction.nextSequence(protocol, sequence, payload, tcpFlags);
  }
}
