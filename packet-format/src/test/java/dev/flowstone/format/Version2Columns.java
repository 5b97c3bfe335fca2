// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketColumns.*;

import dev.flowstone.model.abi.PacketBatchHeaderLayout;
import dev.flowstone.model.abi.PacketColumn2Layout;
import dev.flowstone.model.abi.PacketColumns2HeaderLayout;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** The columnar body of versions 1 and 2, which no encoder writes any more: for its readers. */
final class Version2Columns {
  private Version2Columns() {}

  /** The tables of a message without pairs and profiles, in a body that still lacks its header. */
  static byte[] write(ColumnMessage message, SplittableRandom random) {
    final int[][] columns = columns(message);
    final int body = (int) PacketBatchHeaderLayout.SIZE_BYTES;
    final int descriptors = body + (int) PacketColumns2HeaderLayout.SIZE_BYTES;
    int descriptor = descriptors;
    int end = descriptors + columns.length * (int) PacketColumn2Layout.SIZE_BYTES;
    final int values = Arrays.stream(columns).mapToInt(column -> column.length).sum();
    final byte[] target = new byte[end + columns.length * 16 + 5 * values];
    LittleEndian.INT.set(
        target, body + (int) PacketColumns2HeaderLayout.FLOW_COUNT_OFFSET, message.flowCount);
    LittleEndian.INT.set(
        target,
        body + (int) PacketColumns2HeaderLayout.DIRECTION_COUNT_OFFSET,
        message.directionCount);
    for (int[] column : columns) {
      end = write(column, random, target, descriptor, end);
      descriptor += (int) PacketColumn2Layout.SIZE_BYTES;
    }
    return Arrays.copyOf(target, end + BitPacking.SLACK_BYTES);
  }

  private static int[][] columns(ColumnMessage message) {
    final int[][] today = message.columns;
    final int[] pairs = rowsOf(today[FLOW_PAIR]);
    final int[] profiles = rowsOf(today[DIRECTION_PROFILE]);
    return new int[][] {
      at(today[A_ADDRESS_0], pairs),
      at(today[A_ADDRESS_1], pairs),
      at(today[A_ADDRESS_2], pairs),
      at(today[A_ADDRESS_3], pairs),
      at(today[B_ADDRESS_0], pairs),
      at(today[B_ADDRESS_1], pairs),
      at(today[B_ADDRESS_2], pairs),
      at(today[B_ADDRESS_3], pairs),
      today[A_PORT],
      today[B_PORT],
      at(today[PROTOCOL], pairs),
      today[FLOW_HASH],
      today[FIRST_FROM_B],
      forwards(today[DIRECTION_FLOW]),
      at(today[TIME_TO_LIVE], profiles),
      at(today[TYPE_OF_SERVICE], profiles),
      at(today[DESCRIPTOR_HIGH], profiles),
      at(today[PROFILE_WINDOW], profiles),
      today[FIRST_SEQUENCE],
      today[FIRST_ACKNOWLEDGEMENT],
      at(today[PROFILE_OVERHEAD], profiles),
      today[TIME],
      today[DIRECTION],
      today[TCP_FLAGS],
      today[PAYLOAD_LENGTH],
      today[SEQUENCE],
      today[ACKNOWLEDGEMENT],
      today[WINDOW_STEP],
      today[OVERHEAD_STEP],
      today[TRAIT_STEP]
    };
  }

  private static int[] rowsOf(int[] codes) {
    final int[] rows = new int[codes.length];
    int taken = 0;
    for (int i = 0; i < codes.length; i++) {
      rows[i] = codes[i] == 0 ? taken++ : codes[i] - 1;
    }
    return rows;
  }

  private static int[] at(int[] values, int[] rows) {
    return Arrays.stream(rows).map(row -> values[row]).toArray();
  }

  /** Version 2 has 1 + the row of the flow. */
  private static int[] forwards(int[] back) {
    final int[] codes = new int[back.length];
    int begun = 0;
    for (int i = 0; i < back.length; i++) {
      begun += back[i] == 0 ? 1 : 0;
      codes[i] = back[i] == 0 ? 0 : 1 + begun - back[i];
    }
    return codes;
  }

  private static int write(
      int[] values, SplittableRandom random, byte[] target, int descriptor, int offset) {
    final int base = random.nextBoolean() ? 0 : random.nextInt();
    final int[] above = Arrays.stream(values).map(value -> value - base).toArray();
    final int width = random.nextInt(33);
    final int[] rows =
        IntStream.range(0, values.length)
            .filter(row -> BitPacking.widthOf(above[row]) > width || random.nextInt(64) == 0)
            .toArray();
    final int[] high =
        Arrays.stream(rows).map(row -> (int) ((above[row] & 0xffff_ffffL) >>> width)).toArray();
    final int highWidth = Arrays.stream(high).map(BitPacking::widthOf).max().orElse(0);
    LittleEndian.INT.set(target, descriptor + (int) PacketColumn2Layout.BASE_OFFSET, base);
    LittleEndian.SHORT.set(
        target, descriptor + (int) PacketColumn2Layout.EXCEPTION_COUNT_OFFSET, (short) rows.length);
    target[descriptor + (int) PacketColumn2Layout.WIDTH_OFFSET] = (byte) width;
    target[descriptor + (int) PacketColumn2Layout.EXCEPTION_WIDTH_OFFSET] = (byte) highWidth;
    int end = AnyColumnShape.pack(above, width, target, offset);
    if (rows.length > 0) {
      end = AnyColumnShape.writePlaces(rows, values.length, target, end);
      end = AnyColumnShape.pack(high, highWidth, target, end);
    }
    return end;
  }
}
