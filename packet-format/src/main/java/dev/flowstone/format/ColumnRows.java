// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import dev.flowstone.model.abi.PacketColumns;

/**
 * How many rows the tables of a message have, and so each of their columns.
 *
 * @param packets packets of the message
 */
record ColumnRows(int pairs, int flows, int profiles, int directions, int packets) {
  int of(int column) {
    if (column <= PacketColumns.PROTOCOL) {
      return pairs;
    }
    if (column <= PacketColumns.FIRST_FROM_B) {
      return flows;
    }
    if (column <= PacketColumns.DESCRIPTOR_HIGH) {
      return profiles;
    }
    if (column <= PacketColumns.FIRST_ACKNOWLEDGEMENT) {
      return directions;
    }
    return column <= PacketColumns.PAYLOAD_LENGTH ? packets : packets - directions;
  }
}
