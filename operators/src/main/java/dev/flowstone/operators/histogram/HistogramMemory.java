// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * How one histogram lies in memory. All zeros: nothing was counted. Counts are short, for most
 * flows have few packets and their histograms fill the table: one that is full leaves as a part. It
 * is in the state of {@link FlowHistograms}: whoever changes it counts the version there up.
 *
 * <pre>
 *  0  8  sum of all values
 *  8  8  2^63 - 1 less the least value
 * 16  8  the greatest value
 * 24  4  values below the layout's lowest; they are in the counts, too
 * 28  4  values above its highest; they are in no count
 * 32  2  each count
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

  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final int COUNTS_PER_WORD = Long.BYTES / Short.BYTES;
  private static final long MOST_SUM = 1L << 62;
  private static final int MOST_COUNT = 0xffff;

  private HistogramMemory() {}

  /** In whole words. */
  static int sizeBytes(HdrLayout layout) {
    return COUNTS + Math.ceilDiv(layout.length, COUNTS_PER_WORD) * Long.BYTES;
  }

  /**
   * Counts a value of 0 to 2^62.
   *
   * @return whether there is no room for another: in its count, or in the sum
   */
  static boolean add(MemorySegment memory, long at, HdrLayout layout, long value) {
    final long sum = memory.get(LONG, at) + value;
    memory.set(LONG, at, sum);
    if (Long.MAX_VALUE - value > memory.get(LONG, at + LEAST)) {
      memory.set(LONG, at + LEAST, Long.MAX_VALUE - value);
    }
    if (value > memory.get(LONG, at + GREATEST)) {
      memory.set(LONG, at + GREATEST, value);
    }
    if (value > layout.highest) {
      increment(memory, at + OVERFLOW);
      return sum >= MOST_SUM;
    }
    if (value < layout.lowest) {
      increment(memory, at + UNDERFLOW);
    }
    long where = countAt(at, layout.indexOf(value));
    int count = Short.toUnsignedInt(memory.get(SHORT, where)) + 1;
    memory.set(SHORT, where, (short) count);
    return count == MOST_COUNT || sum >= MOST_SUM;
  }

  private static long countAt(long at, int index) {
    return at + COUNTS + (long) index * Short.BYTES;
  }

  /** How often values like this one were counted, of those within the layout's range. */
  static int count(MemorySegment memory, long at, HdrLayout layout, long value) {
    return memory.get(SHORT, countAt(at, layout.indexOf(value)));
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
    int from = from(memory, at, layout);
    int end = end(memory, at, layout);
    code.begin();
    for (int i = from - from % COUNTS_PER_WORD; i < end; i += COUNTS_PER_WORD) {
      for (long four = memory.get(LONG, countAt(at, i)); four != 0; ) {
        int shift = Long.numberOfTrailingZeros(four) / Short.SIZE * Short.SIZE;
        code.add(i + shift / Short.SIZE, four >>> shift & MOST_COUNT);
        four &= ~((long) MOST_COUNT << shift);
      }
    }
    return code.taken();
  }

  /** Makes it as it was when nothing was counted. */
  static void clear(MemorySegment memory, long at, HdrLayout layout) {
    int from = from(memory, at, layout);
    int end = end(memory, at, layout);
    if (from < end) {
      memory.asSlice(countAt(at, from), (long) (end - from) * Short.BYTES).fill((byte) 0);
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
