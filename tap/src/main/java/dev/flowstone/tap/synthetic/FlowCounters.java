// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

/**
 * Packets, bytes, first and last time and extreme gaps of each flow, one cache line per flow.
 *
 * <p>Times must not go backwards.
 */
final class FlowCounters {
  private static final int STRIDE_SHIFT = 3;
  private static final int PACKETS = 0;
  private static final int BYTES = 1;
  private static final int FIRST_NS = 2;
  private static final int LAST_NS = 3;
  private static final int MIN_GAP_NS = 4;
  private static final int MAX_GAP_NS = 5;

  private final long[] counters;

  FlowCounters(int flows) {
    counters = new long[flows << STRIDE_SHIFT];
  }

  /** Counts a packet; true if it is the first since {@link #reset}. */
  boolean record(int flow, long timeNs, int wireBytes) {
    long[] counters = this.counters;
    int at = flow << STRIDE_SHIFT;
    boolean first = counters[at + PACKETS]++ == 0;
    counters[at + BYTES] += wireBytes;
    if (first) {
      counters[at + FIRST_NS] = timeNs;
      counters[at + MIN_GAP_NS] = Long.MAX_VALUE;
      counters[at + MAX_GAP_NS] = 0;
    } else {
      long gapNs = timeNs - counters[at + LAST_NS];
      counters[at + MIN_GAP_NS] = Math.min(counters[at + MIN_GAP_NS], gapNs);
      counters[at + MAX_GAP_NS] = Math.max(counters[at + MAX_GAP_NS], gapNs);
    }
    counters[at + LAST_NS] = timeNs;
    return first;
  }

  void reset(int flow) {
    int at = flow << STRIDE_SHIFT;
    counters[at + PACKETS] = 0;
    counters[at + BYTES] = 0;
  }

  long packets(int flow) {
    return counters[(flow << STRIDE_SHIFT) + PACKETS];
  }

  /** What was counted for the flow, which must have at least one packet. */
  FlowSummary summary(int flow, FlowTuple tuple) {
    int at = flow << STRIDE_SHIFT;
    boolean hasGap = counters[at + PACKETS] > 1;
    return new FlowSummary(
        tuple,
        counters[at + PACKETS],
        counters[at + BYTES],
        counters[at + FIRST_NS],
        counters[at + LAST_NS],
        hasGap ? counters[at + MIN_GAP_NS] : 0,
        counters[at + MAX_GAP_NS]);
  }
}
