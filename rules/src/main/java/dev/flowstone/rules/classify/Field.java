// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.classify;

import dev.flowstone.model.abi.PacketRecordLayout;
import java.lang.foreign.MemorySegment;

/** What some rules ask of a packet, compiled: its value has a class, a class leaves some rules. */
sealed interface Field permits NumberField, PairedField, AddressField, MaskedAddressField {
  int RECORD_BYTES = (int) PacketRecordLayout.SIZE_BYTES;

  /** Writes the class of each packet. */
  void find(MemorySegment records, long offsetBytes, int count, char[] classes);

  RuleBitmaps bitmaps();

  long memoryBytes();
}
