// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.model.abi.RingContent;

/**
 * How the entries of a ring lie in its slots. An entry is one or more consecutive slots; the first
 * ends in a descriptor as a packet record does, the others are the entry's own. No entry wraps: the
 * slots that are left at the end of a lap are padding, of kind FREE with their generation.
 */
interface EntryLayout {
  /** Each slot is an entry. */
  record OneSlot() implements EntryLayout {
    @Override
    public int slotsOf(RingSlots slots, long position) {
      return 1;
    }
  }

  /** How many slots the entry has whose first slot is that of a position. */
  int slotsOf(RingSlots slots, long position);

  static EntryLayout of(int content) {
    if (content != RingContent.PACKET_RECORDS) {
      throw new RingFileException(
          "rings of "
              + RingContent.nameOf(content)
              + " have entries that this release cannot read");
    }
    return new OneSlot();
  }
}
