// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.model.abi.RecordKind;

/**
 * Consecutive whole entries of a ring, found slot by slot where entries have several. One is kept
 * for all runs of a reader; one thread.
 */
final class EntryRun {
  private final RingSlots slots;
  private final EntryLayout layout;

  private long position;
  private long end;
  private int count;

  EntryRun(RingSlots slots, EntryLayout layout) {
    this.slots = slots;
    this.layout = layout;
  }

  void clear() {
    count = 0;
    end = position;
  }

  /**
   * Takes entries from a position on, up to a control record or to what is published. Ends where
   * the ring's memory wraps; padding there belongs to the run, but is none of its entries.
   *
   * @return false if an entry says that it reaches beyond that: the slots are damaged, or no longer
   *     what they were
   */
  boolean take(long from, long limit, int mostEntries) {
    position = from;
    end = from;
    count = 0;
    long lapEnd = Math.min(limit, (from | slots.count() - 1) + 1);
    if (layout instanceof EntryLayout.OneSlot) {
      count = (int) Math.min(mostEntries, lapEnd - from);
      end = from + count;
      return true;
    }
    return walk(lapEnd, mostEntries);
  }

  private boolean walk(long limit, int mostEntries) {
    while (end < limit && count < mostEntries && slots.kindAt(end) != RecordKind.FREE) {
      int entrySlots = layout.slotsOf(slots, end);
      if (entrySlots < 1 || entrySlots > limit - end) {
        return false;
      }
      end += entrySlots;
      count++;
    }
    while (end < limit && slots.kindAt(end) == RecordKind.FREE) {
      end++;
    }
    return true;
  }

  long position() {
    return position;
  }

  /** The position after the run. */
  long end() {
    return end;
  }

  /** How many entries. */
  int count() {
    return count;
  }
}
