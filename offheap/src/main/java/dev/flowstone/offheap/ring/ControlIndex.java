// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.model.abi.RecordKind;
import dev.flowstone.model.abi.RingFileHeaderLayout;

/**
 * Finds the next TIME or LOSS record for one reader: by the header's index of the latest ones, or,
 * when the reader is further behind than the index reaches, by looking at each slot.
 */
final class ControlIndex {
  static final long NONE = Long.MAX_VALUE;
  private static final long ENTRIES = RingFileHeaderLayout.CONTROL_INDEX_ENTRIES;

  private final RingHeader words;
  private final RingSlots slots;
  private final EntryLayout layout;

  /** The ordinal of the first control record at or after the reader, or UNKNOWN. */
  private long ordinal = UNKNOWN;

  private static final long UNKNOWN = -1;

  /** The reader looked at each slot up to here, and only packets are before it. */
  private long scannedPosition;

  /** Whether an entry begins where the reader stands, so that the next one can be found from it. */
  private boolean isAtEntry = true;

  ControlIndex(RingHeader words, RingSlots slots, EntryLayout layout) {
    this.words = words;
    this.slots = slots;
    this.layout = layout;
  }

  /** Forgets its place: the reader jumped, perhaps to a slot inside of an entry. */
  void reset() {
    ordinal = UNKNOWN;
    scannedPosition = 0;
    isAtEntry = layout instanceof EntryLayout.OneSlot;
  }

  /**
   * The position of the first control record in [from, to), or {@link #NONE}. Everything below
   * {@code to} must be published; {@code from} must not go back between calls.
   *
   * <p>For a reader inside of an entry it is the first one that the index names. Such a reader
   * knows no time, so it goes on there, or at {@code to}: at an entry in either case.
   */
  long next(long from, long to) {
    long control = find(from, to);
    isAtEntry = true;
    return control;
  }

  private long find(long from, long to) {
    if (ordinal == UNKNOWN) {
      ordinal = findOrdinal(from);
    }
    while (ordinal != UNKNOWN) {
      if (ordinal >= words.controlCountAcquire()) {
        return NONE;
      }
      long position = words.controlPosition(ordinal);
      if (words.controlCountAcquire() - ordinal >= ENTRIES) {
        ordinal = UNKNOWN;
      } else if (position < from) {
        ordinal++;
      } else {
        return position < to ? position : NONE;
      }
    }
    return isAtEntry ? scan(from, to) : NONE;
  }

  /** The position of the latest TIME record that is published and that the index still names. */
  long findLatestTime() {
    long published = words.positionAcquire();
    long count = words.controlCountAcquire();
    for (long i = count - 1; i >= 0 && count - i < ENTRIES; i--) {
      long position = words.controlPosition(i);
      if (position < published
          && slots.kindAt(position) == RecordKind.TIME
          && words.controlCountAcquire() - i < ENTRIES) {
        return position;
      }
    }
    return NONE;
  }

  private long findOrdinal(long from) {
    long count = words.controlCountAcquire();
    long oldest = Math.max(0, count - ENTRIES + 1);
    long first = count;
    while (first > oldest && words.controlPosition(first - 1) >= from) {
      first--;
    }
    boolean reachesBack = first > oldest || oldest == 0;
    boolean intact = words.controlCountAcquire() - oldest < ENTRIES;
    return (reachesBack || !isAtEntry) && intact ? first : UNKNOWN;
  }

  private long scan(long from, long to) {
    long position = Math.max(from, scannedPosition);
    int kind;
    while (position < to && (kind = slots.kindAt(position)) < RecordKind.TIME) {
      // An entry that says it has no slots, or more than there are, is for the reader to judge.
      position +=
          kind == RecordKind.FREE
              ? 1
              : Math.clamp(layout.slotsOf(slots, position), 1, to - position);
    }
    scannedPosition = position;
    return position < to ? position : NONE;
  }
}
