// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * How one histogram lies in memory. All zeros: nothing was counted. It is in the state of {@link
 * FlowHistograms}: whoever changes it counts the version there up.
 *
 * <pre>
 *  0  8  sum of all values, at most 2^63 - 1
 *  8  8  2^63 - 1 less the least value
 * 16  8  the greatest value
 * 24  4  values below the layout's lowest; they are in the counts, too
 * 28  4  values above its highest; they are in no count
 * 32  4  each count
 * </pre>
 */
final class HistogramMemory {
  static final int LEAST = 8;
  static final int GREATEST = 16;
  static final int UNDERFLOW = 24;
  static final int OVERFLOW = 28;
  static final int COUNTS = 32;

  static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private HistogramMemory() {}

  /** In whole words. */
  static int sizeBytes(HdrLayout layout) {
    return COUNTS + (layout.length + 1) / 2 * Long.BYTES;
  }

  /** Counts a value that is not negative; of each kind there are at most 2^31 - 1. */
  static void add(MemorySegment memory, long at, HdrLayout layout, long value) {
    long sum = memory.get(LONG, at) + value;
    memory.set(LONG, at, sum < 0 ? Long.MAX_VALUE : sum);
    if (Long.MAX_VALUE - value > memory.get(LONG, at + LEAST)) {
      memory.set(LONG, at + LEAST, Long.MAX_VALUE - value);
    }
    if (value > memory.get(LONG, at + GREATEST)) {
      memory.set(LONG, at + GREATEST, value);
    }
    if (value > layout.highest) {
      increment(memory, at + OVERFLOW);
      return;
    }
    if (value < layout.lowest) {
      increment(memory, at + UNDERFLOW);
    }
    increment(memory, at + COUNTS + ((long) layout.indexOf(value) << 2));
  }

  /** How often values like this one were counted, of those within the layout's range. */
  static int count(MemorySegment memory, long at, HdrLayout layout, long value) {
    return memory.get(INT, at + COUNTS + ((long) layout.indexOf(value) << 2));
  }

  static void increment(MemorySegment memory, long at) {
    memory.set(INT, at, memory.get(INT, at) + 1);
  }

  static HistogramSums sums(MemorySegment memory, long at) {
    return new HistogramSums(
        Long.MAX_VALUE - memory.get(LONG, at + LEAST),
        memory.get(LONG, at + GREATEST),
        0,
        memory.get(LONG, at),
        memory.get(INT, at + UNDERFLOW),
        memory.get(INT, at + OVERFLOW));
  }

  static byte[] counts(MemorySegment memory, long at, HdrLayout layout, CountsCode code) {
    return code.encode(
        from(memory, at, layout),
        end(memory, at, layout),
        i -> memory.get(INT, at + COUNTS + ((long) i << 2)));
  }

  /** Makes it as it was when nothing was counted. */
  static void clear(MemorySegment memory, long at, HdrLayout layout) {
    long from = from(memory, at, layout);
    long end = end(memory, at, layout);
    if (from < end) {
      memory.asSlice(at + COUNTS + (from << 2), (end - from) << 2).fill((byte) 0);
    }
    memory.asSlice(at, COUNTS).fill((byte) 0);
  }

  /** Before this count all are zero; so a histogram of few values costs little. */
  private static int from(MemorySegment memory, long at, HdrLayout layout) {
    long least = Long.MAX_VALUE - memory.get(LONG, at + LEAST);
    return least > layout.highest ? 0 : layout.indexOf(least);
  }

  private static int end(MemorySegment memory, long at, HdrLayout layout) {
    long least = Long.MAX_VALUE - memory.get(LONG, at + LEAST);
    long greatest = Math.min(layout.highest, memory.get(LONG, at + GREATEST));
    return least > layout.highest ? 0 : layout.indexOf(greatest) + 1;
  }
}
