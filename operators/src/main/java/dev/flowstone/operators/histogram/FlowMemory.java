// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import static dev.flowstone.operators.histogram.HistogramMemory.LONG;

import dev.flowstone.offheap.flows.FlowEntry;
import java.lang.foreign.MemorySegment;

/**
 * What is kept of a flow under one rule, behind the flow's key. In state, as {@link
 * HistogramMemory}.
 *
 * <pre>
 *  0  8  number of the rule; 0: nothing is known of this flow yet
 *  8  8  latest time, from which the next gap counts; -2^63: none
 * 16  8  the latest time ever: of a clock that went back more than that
 * 24  8  of histograms per flow: end of the interval that is being counted; 0: none
 * 32     of histograms per flow: {@link IntervalMemory}
 * </pre>
 */
final class FlowMemory {
  static final int WITHOUT_INTERVAL_BYTES = 24;
  static final int WITH_INTERVAL_BYTES = 32;
  static final long NEVER = Long.MIN_VALUE;

  /** Instead of an interval's end: none is being counted. */
  static final long NO_INTERVAL = 0;

  private static final int RULE = FlowEntry.KEY_BYTES;
  private static final int LATEST = RULE + 8;
  private static final int REACHED = RULE + 16;
  private static final int END = RULE + 24;

  private FlowMemory() {}

  static long ruleId(MemorySegment memory, long entry) {
    return memory.get(LONG, entry + RULE);
  }

  static boolean isNew(MemorySegment memory, long entry) {
    return ruleId(memory, entry) == 0;
  }

  static void begin(MemorySegment memory, long entry, long ruleId) {
    memory.set(LONG, entry + RULE, ruleId);
    memory.set(LONG, entry + LATEST, NEVER);
    memory.set(LONG, entry + REACHED, NEVER);
  }

  static long latestNs(MemorySegment memory, long entry) {
    return memory.get(LONG, entry + LATEST);
  }

  static void setLatestNs(MemorySegment memory, long entry, long timeNs) {
    memory.set(LONG, entry + LATEST, timeNs);
  }

  static long reachedNs(MemorySegment memory, long entry) {
    return memory.get(LONG, entry + REACHED);
  }

  static void setReachedNs(MemorySegment memory, long entry, long timeNs) {
    memory.set(LONG, entry + REACHED, timeNs);
  }

  static long endNs(MemorySegment memory, long entry) {
    return memory.get(LONG, entry + END);
  }

  static void setEndNs(MemorySegment memory, long entry, long endNs) {
    memory.set(LONG, entry + END, endNs);
  }

  /** Where the interval of a histogram per flow lies. */
  static long interval(long entry) {
    return entry + FlowEntry.KEY_BYTES + WITH_INTERVAL_BYTES;
  }
}
