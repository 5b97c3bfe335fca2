// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketRecordLayout.ACKNOWLEDGEMENT_OFFSET;
import static dev.flowstone.model.abi.PacketRecordLayout.DESTINATION_ADDRESS_OFFSET;
import static dev.flowstone.model.abi.PacketRecordLayout.PROTOCOL_OFFSET;
import static dev.flowstone.model.abi.PacketRecordLayout.SIZE_BYTES;
import static dev.flowstone.model.abi.PacketRecordLayout.SOURCE_ADDRESS_OFFSET;
import static dev.flowstone.model.abi.PacketRecordLayout.SOURCE_PORT_OFFSET;
import static dev.flowstone.model.abi.PacketRecordLayout.TIME_LOW_OFFSET;

import java.lang.foreign.MemorySegment;

/**
 * A few records as an array of long that stays in the nearest cache. The encoder's loop reads it at
 * array speed, whatever memory the records came from, and sees one kind of memory only.
 */
final class RecordChunk {
  static final int RECORDS = 64;

  /** 64-bit words of a record, and what each holds from its lowest bit up. */
  static final int WORDS = (int) SIZE_BYTES / Long.BYTES;

  static final int TIME_HASH = (int) TIME_LOW_OFFSET / Long.BYTES;
  static final int SOURCE_HIGH = (int) SOURCE_ADDRESS_OFFSET / Long.BYTES;
  static final int SOURCE_LOW = SOURCE_HIGH + 1;
  static final int DESTINATION_HIGH = (int) DESTINATION_ADDRESS_OFFSET / Long.BYTES;
  static final int DESTINATION_LOW = DESTINATION_HIGH + 1;
  static final int PORTS_SEQUENCE = (int) SOURCE_PORT_OFFSET / Long.BYTES;
  static final int ACKNOWLEDGEMENT_WINDOW_PAYLOAD = (int) ACKNOWLEDGEMENT_OFFSET / Long.BYTES;
  static final int ATTRIBUTES_DESCRIPTOR = (int) PROTOCOL_OFFSET / Long.BYTES;

  final long[] words = new long[RECORDS * WORDS];

  /**
   * Loads count records from the first on: those that the selection names, or all in turn where it
   * is null.
   */
  void load(MemorySegment records, long offsetBytes, int[] selection, int first, int count) {
    if (selection == null) {
      copy(records, offsetBytes + first * SIZE_BYTES, 0, count);
    } else {
      for (int i = 0; i < count; i++) {
        copy(records, offsetBytes + selection[first + i] * SIZE_BYTES, i, 1);
      }
    }
  }

  private void copy(MemorySegment records, long at, int index, int count) {
    MemorySegment.copy(records, LittleEndian.LONG_LAYOUT, at, words, index * WORDS, count * WORDS);
  }
}
