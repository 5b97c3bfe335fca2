// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import java.util.Arrays;

/**
 * Counts as a few bytes, as HdrHistogram's second format has them: each a ZigZag number in groups
 * of 7 bits, the lowest first, the ninth byte whole; a run of zeros as its length, negative. What
 * follows the last count is zero.
 *
 * <pre>
 *   counts 0 0 0 5 300 0   are  05 0a d8 04
 *                               -3  5  300 (ZigZag 600: 0x58 with a continuation bit, 0x04)
 * </pre>
 */
final class CountsCode {
  private static final int MOST_BYTES = 9;
  private static final int GROUP_BITS = 7;
  private static final int LAST_SHIFT = (MOST_BYTES - 1) * GROUP_BITS;
  private static final int MORE = 0x80;

  private byte[] bytes = new byte[256];
  private int size;
  private int next;

  static byte[] of(long[] counts) {
    CountsCode code = new CountsCode();
    code.begin();
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] != 0) {
        code.add(i, counts[i]);
      }
    }
    return code.taken();
  }

  void begin() {
    size = 0;
    next = 0;
  }

  /** The next count that is not zero. */
  void add(int index, long count) {
    putZeros(index - next);
    put(count);
    next = index + 1;
  }

  byte[] taken() {
    return Arrays.copyOf(bytes, size);
  }

  /** One zero is itself. */
  private void putZeros(int zeros) {
    if (zeros > 0) {
      put(zeros == 1 ? 0 : -zeros);
    }
  }

  private void put(long number) {
    if (size + MOST_BYTES > bytes.length) {
      bytes = Arrays.copyOf(bytes, 2 * bytes.length);
    }
    long rest = (number << 1) ^ (number >> (Long.SIZE - 1));
    for (int i = 1; i < MOST_BYTES && rest >>> GROUP_BITS != 0; i++) {
      bytes[size++] = (byte) (rest | MORE);
      rest >>>= GROUP_BITS;
    }
    bytes[size++] = (byte) rest;
  }

  /**
   * Adds what was encoded to counts.
   *
   * @return up to where; what follows stays as it was
   * @throws IllegalStateException if they are more than there is room for
   */
  static int addTo(long[] counts, byte[] encoded) {
    Reader reader = new Reader(encoded);
    while (reader.next()) {
      if (reader.index >= counts.length) {
        throw new IllegalStateException("more than " + counts.length + " counts: damaged state");
      }
      counts[reader.index] += reader.count;
    }
    return reader.index + 1;
  }

  /** The sums of counts, which costs as much as there are of them that are not zero. */
  static byte[] sum(byte[] encoded, byte[] other) {
    CountsCode code = new CountsCode();
    code.begin();
    Reader one = new Reader(encoded);
    Reader two = new Reader(other);
    boolean isOne = one.next();
    boolean isTwo = two.next();
    while (isOne || isTwo) {
      boolean takesOne = isOne && (!isTwo || one.index <= two.index);
      boolean takesTwo = isTwo && (!isOne || two.index <= one.index);
      code.add(
          takesOne ? one.index : two.index,
          (takesOne ? one.count : 0) + (takesTwo ? two.count : 0));
      isOne = takesOne ? one.next() : isOne;
      isTwo = takesTwo ? two.next() : isTwo;
    }
    return code.taken();
  }

  /** Goes through the counts that are not zero. */
  private static final class Reader {
    private final byte[] encoded;
    private int at;
    private int next;
    int index = -1;
    long count;

    Reader(byte[] encoded) {
      this.encoded = encoded;
    }

    boolean next() {
      while (at < encoded.length) {
        long value = number();
        if (value > 0) {
          index = next++;
          count = value;
          return true;
        }
        next += value == 0 ? 1 : (int) -value;
      }
      return false;
    }

    private long number() {
      long number = 0;
      byte each = (byte) MORE;
      for (int shift = 0; shift <= LAST_SHIFT && each < 0; shift += GROUP_BITS) {
        each = encoded[at++];
        number |= (each & (shift == LAST_SHIFT ? 0xffL : MORE - 1)) << shift;
      }
      return (number >>> 1) ^ -(number & 1);
    }
  }
}
