// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import java.lang.foreign.MemorySegment;

/** Memory of the card as the host has it beside it. */
interface CardMemory {
  /** The host's side: what was fetched last. */
  MemorySegment host();

  /** Brings a part of the card's side to the host's; returns when it is there. */
  void fetch(long offsetBytes, long sizeBytes);
}
