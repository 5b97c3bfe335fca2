// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import static dev.flowstone.operators.histogram.HistogramMemory.INT;

import java.lang.foreign.MemorySegment;

/**
 * How that lies in memory which is counted of one interval: counters of packets, then the rule's
 * histograms. All zeros: no packet. In state, as {@link HistogramMemory}.
 *
 * <pre>
 *  0  4  packets; bit 31: parts of a flow's interval have left already
 *  4  4  late
 *  8  4  first of a flow
 * 12  4  earlier than the latest
 * 16  4  clock steps
 * 20  4  untimed
 * 24     histogram of inter-arrival times, if there is one
 *        histogram of packet sizes, if there is one
 * </pre>
 */
final class IntervalMemory {
  static final int LATE = 4;
  static final int FIRST = 8;
  static final int EARLIER = 12;
  static final int CLOCK_STEPS = 16;
  static final int UNTIMED = 20;
  static final int HISTOGRAMS = 24;

  private static final int IN_PARTS = 1 << 31;

  private IntervalMemory() {}

  static int packets(MemorySegment memory, long at) {
    return memory.get(INT, at) & ~IN_PARTS;
  }

  static boolean isInParts(MemorySegment memory, long at) {
    return (memory.get(INT, at) & IN_PARTS) != 0;
  }

  /** Makes it one of which nothing was counted. */
  static void begin(MemorySegment memory, long at) {
    memory.asSlice(at, HISTOGRAMS).fill((byte) 0);
  }

  static void markInParts(MemorySegment memory, long at) {
    memory.set(INT, at, memory.get(INT, at) | IN_PARTS);
  }

  static PacketCounts counts(MemorySegment memory, long at) {
    return new PacketCounts(
        packets(memory, at),
        memory.get(INT, at + LATE),
        memory.get(INT, at + FIRST),
        memory.get(INT, at + EARLIER),
        memory.get(INT, at + CLOCK_STEPS),
        memory.get(INT, at + UNTIMED));
  }
}
