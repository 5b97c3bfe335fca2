// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import dev.flowstone.model.TupleHash;
import dev.flowstone.offheap.AnonymousMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * What one subtask has counted of a rule by prefix and interval, and not told yet. Bounded: where
 * no slot is free all of it is told, which changes nothing in the sum. Off the heap, in memory that
 * is taken as slots are; found by a hash that only this process knows. Whoever opens it closes it;
 * one thread.
 */
final class Partials implements AutoCloseable {
  /** With fewer, packets at the border of two intervals would tell a sum each. */
  static final int LEAST_SLOTS = 2;

  private static final int NONE = -1;
  private static final long FREE = Long.MIN_VALUE;

  private HistogramRule rule;
  private final AddressPrefix prefix;
  private final CountsCode code;
  private final Consumer<HistogramPart> parts;
  private final AnonymousMemory mapped;
  private final long slotBytes;

  private final long[] ends;
  private final long[] highs;
  private final long[] lows;
  private final int[] versions;

  /** Free slots, as many as count. */
  private final int[] free;

  private int freeCount;

  /** At most half full; the slot and 1, or 0. */
  private final int[] index;

  private int last = NONE;
  private long earliestEndNs = Long.MAX_VALUE;

  final MemorySegment memory;

  Partials(
      HistogramRule rule,
      AddressPrefix prefix,
      int slots,
      CountsCode code,
      Consumer<HistogramPart> parts) {
    this.rule = rule;
    this.prefix = prefix;
    this.code = code;
    this.parts = parts;
    slotBytes = rule.intervalBytes;
    mapped = new AnonymousMemory(slotBytes * slots);
    memory = mapped.segment();
    ends = new long[slots];
    highs = new long[slots];
    lows = new long[slots];
    versions = new int[slots];
    free = new int[slots];
    index = new int[Integer.highestOneBit(slots) * 4];
    freeAll();
  }

  private void freeAll() {
    Arrays.fill(ends, FREE);
    Arrays.setAll(free, i -> free.length - 1 - i);
    freeCount = free.length;
    Arrays.fill(index, 0);
    last = NONE;
    earliestEndNs = Long.MAX_VALUE;
  }

  /** The same histograms, but for where they are told. */
  void goBy(HistogramRule asked) {
    rule = asked;
  }

  int slots() {
    return ends.length;
  }

  /** Where the interval of the prefix lies that was read last. */
  long find(long endNs) {
    if (last == NONE || !is(last, endNs)) {
      last = findOrAdd(endNs);
    }
    return last * slotBytes;
  }

  /** Tells what was found last, for it is full. */
  void tellFound() {
    tell(last);
  }

  private boolean is(int slot, long endNs) {
    return ends[slot] == endNs
        && lows[slot] == prefix.low
        && highs[slot] == prefix.high
        && versions[slot] == prefix.version;
  }

  private int findOrAdd(long endNs) {
    int place = home(prefix.high, prefix.low, prefix.version, endNs);
    while (index[place] != 0) {
      int slot = index[place] - 1;
      if (is(slot, endNs)) {
        return slot;
      }
      place = place + 1 & index.length - 1;
    }
    if (freeCount == 0) {
      tellAll();
      place = home(prefix.high, prefix.low, prefix.version, endNs);
    }
    int slot = free[--freeCount];
    ends[slot] = endNs;
    highs[slot] = prefix.high;
    lows[slot] = prefix.low;
    versions[slot] = prefix.version;
    index[place] = slot + 1;
    earliestEndNs = Math.min(earliestEndNs, endNs);
    return slot;
  }

  private int home(long high, long low, int version, long endNs) {
    return TupleHash.of(high, low, version, endNs, 0) & index.length - 1;
  }

  private void tell(int slot) {
    if (IntervalMemory.packets(memory, slot * slotBytes) == 0) {
      // It was full, and has been told.
      return;
    }
    rule.tell(
        memory,
        slot * slotBytes,
        null,
        prefix.text(versions[slot], highs[slot], lows[slot]),
        ends[slot],
        code,
        parts);
  }

  void tellAll() {
    for (int slot = 0; slot < ends.length; slot++) {
      if (ends[slot] != FREE) {
        tell(slot);
      }
    }
    freeAll();
  }

  /** Tells of intervals that ended by then. */
  void tellEnded(long nowNs) {
    if (earliestEndNs > nowNs) {
      return;
    }
    for (int slot = 0; slot < ends.length; slot++) {
      if (ends[slot] != FREE && ends[slot] <= nowNs) {
        tell(slot);
        ends[slot] = FREE;
        free[freeCount++] = slot;
      }
    }
    indexAnew();
  }

  private void indexAnew() {
    Arrays.fill(index, 0);
    last = NONE;
    earliestEndNs = Long.MAX_VALUE;
    for (int slot = 0; slot < ends.length; slot++) {
      if (ends[slot] != FREE) {
        int place = home(highs[slot], lows[slot], versions[slot], ends[slot]);
        while (index[place] != 0) {
          place = place + 1 & index.length - 1;
        }
        index[place] = slot + 1;
        earliestEndNs = Math.min(earliestEndNs, ends[slot]);
      }
    }
  }

  @Override
  public void close() {
    mapped.close();
  }
}
