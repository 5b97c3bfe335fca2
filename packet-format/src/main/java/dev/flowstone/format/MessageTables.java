// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketColumns.*;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.COLUMN_COUNT;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.DIRECTION_COUNT_OFFSET;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.FLOW_COUNT_OFFSET;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.PAIR_COUNT_OFFSET;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.PROFILE_COUNT_OFFSET;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.TAIL_BYTES;

import dev.flowstone.model.abi.PacketBatchHeaderLayout;
import dev.flowstone.model.abi.PacketColumn2Layout;
import dev.flowstone.model.abi.PacketColumns2;
import dev.flowstone.model.abi.PacketColumns2HeaderLayout;
import dev.flowstone.model.abi.PacketColumnsHeaderLayout;
import java.util.Arrays;

/**
 * The tables of a message being decoded, in the form of today's version whatever the message's is:
 * each flow of version 2 has a pair of its own, and each direction a profile. Keeps its space from
 * message to message.
 */
final class MessageTables {
  private static final int VERSION_2_DESCRIPTORS_OFFSET =
      (int) PacketColumns2HeaderLayout.SIZE_BYTES;
  private static final int VERSION_2_DATA_OFFSET =
      VERSION_2_DESCRIPTORS_OFFSET
          + PacketColumns2HeaderLayout.COLUMN_COUNT * (int) PacketColumn2Layout.SIZE_BYTES;

  /** What the columns of {@link PacketColumns2}, in their order, are today. */
  private static final int[] OF_VERSION_2 = {
    A_ADDRESS_0,
    A_ADDRESS_1,
    A_ADDRESS_2,
    A_ADDRESS_3,
    B_ADDRESS_0,
    B_ADDRESS_1,
    B_ADDRESS_2,
    B_ADDRESS_3,
    A_PORT,
    B_PORT,
    PROTOCOL,
    FLOW_HASH,
    FIRST_FROM_B,
    DIRECTION_FLOW,
    TIME_TO_LIVE,
    TYPE_OF_SERVICE,
    DESCRIPTOR_HIGH,
    PROFILE_WINDOW,
    FIRST_SEQUENCE,
    FIRST_ACKNOWLEDGEMENT,
    PROFILE_OVERHEAD,
    TIME,
    DIRECTION,
    TCP_FLAGS,
    PAYLOAD_LENGTH,
    SEQUENCE,
    ACKNOWLEDGEMENT,
    WINDOW_STEP,
    OVERHEAD_STEP,
    TRAIT_STEP
  };

  final int[][] columns = new int[COLUMN_COUNT][0];
  private final ColumnReader reader = new ColumnReader();
  private ColumnRows rows;

  ColumnRows rows() {
    return rows;
  }

  void read(byte[] message, PacketBatchHeader header) {
    if (header.version() <= PacketBatchHeaderLayout.VERSION_2) {
      readVersion2(message, header.lengthBytes(), header.count());
    } else {
      readColumns(message, header.lengthBytes(), header.count());
    }
  }

  private void readColumns(byte[] message, int body, int count) {
    final int dataOffset = body + (int) PacketColumnsHeaderLayout.SIZE_BYTES;
    requireLength(message, dataOffset);
    setRows(
        count(message, body + PAIR_COUNT_OFFSET),
        count(message, body + FLOW_COUNT_OFFSET),
        count(message, body + PROFILE_COUNT_OFFSET),
        count(message, body + DIRECTION_COUNT_OFFSET),
        count);
    reader.begin(message, dataOffset, message.length - TAIL_BYTES);
    for (int column = 0; column < COLUMN_COUNT; column++) {
      reader.read(column, values(column), rows.of(column));
    }
    requireEnd(message);
  }

  private static int count(byte[] message, long offset) {
    return (short) LittleEndian.SHORT.get(message, (int) offset) & 0xffff;
  }

  private void readVersion2(byte[] message, int body, int count) {
    requireLength(message, body + VERSION_2_DATA_OFFSET);
    final int flows =
        (int)
            LittleEndian.INT.get(
                message, body + (int) PacketColumns2HeaderLayout.FLOW_COUNT_OFFSET);
    final int directions =
        (int)
            LittleEndian.INT.get(
                message, body + (int) PacketColumns2HeaderLayout.DIRECTION_COUNT_OFFSET);
    setRows(flows, flows, directions, directions, count);
    reader.begin(message, body + VERSION_2_DATA_OFFSET, message.length - TAIL_BYTES);
    int descriptor = body + VERSION_2_DESCRIPTORS_OFFSET;
    for (int column : OF_VERSION_2) {
      reader.readVersion2(column, descriptor, values(column), rows.of(column));
      descriptor += (int) PacketColumn2Layout.SIZE_BYTES;
    }
    requireEnd(message);
    Arrays.fill(values(FLOW_PAIR), 0, flows, 0);
    Arrays.fill(values(DIRECTION_PROFILE), 0, directions, 0);
    countFlowsBackwards();
  }

  /** Version 2 names the flow of a second direction by 1 + its row. */
  private void countFlowsBackwards() {
    final int[] codes = columns[DIRECTION_FLOW];
    int begun = 0;
    for (int direction = 0; direction < rows.directions(); direction++) {
      final int code = codes[direction];
      if (code == 0) {
        begun++;
      } else if (code < 0 || code > begun) {
        throw new PacketBatchException(
            "column direction_flow",
            "row "
                + direction
                + " names flow "
                + Integer.toUnsignedString(code - 1)
                + ", which awaits no second direction");
      } else {
        codes[direction] = begun - code + 1;
      }
    }
  }

  private void setRows(int pairs, int flows, int profiles, int directions, int count) {
    require(
        directions >= 0 && directions <= count,
        "columns.direction_count",
        "%d directions of %d packets",
        directions,
        count);
    require(
        flows >= 0 && flows <= directions,
        "columns.flow_count",
        "%d flows of %d directions",
        flows,
        directions);
    require(pairs <= flows, "columns.pair_count", "%d pairs of %d flows", pairs, flows);
    require(
        profiles <= directions,
        "columns.profile_count",
        "%d profiles of %d directions",
        profiles,
        directions);
    rows = new ColumnRows(pairs, flows, profiles, directions, count);
  }

  /** Space for the column's rows. */
  private int[] values(int column) {
    if (columns[column].length < rows.of(column)) {
      columns[column] = new int[rows.of(column)];
    }
    return columns[column];
  }

  private static void requireLength(byte[] message, int dataOffset) {
    require(
        message.length >= dataOffset + TAIL_BYTES,
        "body",
        "message of %d bytes, columns begin at %d",
        message.length,
        dataOffset);
  }

  private void requireEnd(byte[] message) {
    final int dataEnd = message.length - TAIL_BYTES;
    require(
        reader.offset() == dataEnd,
        "body",
        "columns end at %d, data at %d",
        reader.offset(),
        dataEnd);
    if ((long) LittleEndian.LONG.get(message, dataEnd) != 0) {
      throw new PacketBatchException("body.tail", "the last 8 bytes are not zero");
    }
  }

  /** The reason is put together only where it is told: there are many of these in a message. */
  static void require(boolean holds, String place, String reason, int found, int wanted) {
    if (!holds) {
      throw new PacketBatchException(place, reason.formatted(found, wanted));
    }
  }
}
