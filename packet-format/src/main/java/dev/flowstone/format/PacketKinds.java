// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketRecordLayout.KIND_MASK;
import static dev.flowstone.model.abi.PacketRecordLayout.KIND_SHIFT;

import dev.flowstone.model.abi.RecordKind;

/**
 * The kinds of record met in a run, one bit each: one test for the run rather than one for each
 * record.
 */
final class PacketKinds {
  private static final int PACKETS =
      1 << RecordKind.IPV4
          | 1 << RecordKind.IPV6
          | 1 << RecordKind.OTHER
          | 1 << RecordKind.IPV4_ENCAPSULATED
          | 1 << RecordKind.IPV6_ENCAPSULATED;

  private PacketKinds() {}

  static int bit(int descriptor) {
    return 1 << (descriptor >>> KIND_SHIFT & KIND_MASK);
  }

  static boolean arePackets(int kinds) {
    return (kinds & ~PACKETS) == 0;
  }

  static void requirePackets(int kinds) {
    if (!arePackets(kinds)) {
      throw new IllegalArgumentException(
          "only packet records belong into a batch: kinds found (one bit each) 0b"
              + Integer.toBinaryString(kinds));
    }
  }
}
