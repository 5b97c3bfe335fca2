// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import dev.flowstone.model.abi.PacketColumns;

/** How many rows a column has: that of the table it belongs to. */
final class ColumnRows {
  private ColumnRows() {}

  static int of(int column, int flowCount, int directionCount, int packetCount) {
    if (column <= PacketColumns.FIRST_FROM_B) {
      return flowCount;
    }
    if (column <= PacketColumns.FIRST_OVERHEAD) {
      return directionCount;
    }
    return column <= PacketColumns.PAYLOAD_LENGTH ? packetCount : packetCount - directionCount;
  }
}
