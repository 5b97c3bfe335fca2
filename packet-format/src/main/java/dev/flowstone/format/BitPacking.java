// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

/**
 * Arrays of w-bit numbers: entry i has bits i*w to i*w + w - 1, the lowest bit of a byte first.
 * Writing and reading touch up to {@link #SLACK_BYTES} bytes behind the array, which the caller
 * provides.
 */
final class BitPacking {
  static final int SLACK_BYTES = 8;

  private BitPacking() {}

  /** Bytes that hold count numbers of width bits. */
  static int lengthBytes(int count, int width) {
    return (int) (((long) count * width + 7) >>> 3);
  }

  /** Bits that the largest of these unsigned numbers needs. */
  static int widthOf(int unsignedValue) {
    return 32 - Integer.numberOfLeadingZeros(unsignedValue);
  }

  /** Writes the low width bits of (values[i] - base) and returns the offset behind them. */
  static int pack(int[] values, int count, int base, int width, byte[] target, int offset) {
    if (width == 0) {
      return offset;
    }
    final long mask = (1L << width) - 1;
    final int pairWidth = 2 * width;
    long pending = 0;
    int pendingBits = 0;
    int at = offset;
    int i = 0;
    if (pairWidth <= 56) { // two at a time: half the steps of the chain through pending
      for (; i + 1 < count; i += 2) {
        final long pair = ((values[i] - base) & mask) | ((values[i + 1] - base) & mask) << width;
        pending |= pair << pendingBits;
        pendingBits += pairWidth;
        LittleEndian.LONG.set(target, at, pending);
        at += pendingBits >>> 3;
        pending >>>= pendingBits & 0x38;
        pendingBits &= 7;
      }
    }
    for (; i < count; i++) {
      pending |= ((values[i] - base) & mask) << pendingBits;
      pendingBits += width;
      LittleEndian.LONG.set(target, at, pending);
      at += pendingBits >>> 3;
      pending >>>= pendingBits & 0x38;
      pendingBits &= 7;
    }
    return at + (pendingBits > 0 ? 1 : 0);
  }

  /** Reads count numbers of width bits and adds base to each. */
  static void unpack(byte[] source, int offset, int width, int base, int[] values, int count) {
    if (width == 0) {
      java.util.Arrays.fill(values, 0, count, base);
      return;
    }
    final long mask = (1L << width) - 1;
    long bit = 0;
    for (int i = 0; i < count; i++) {
      final long word = (long) LittleEndian.LONG.get(source, offset + (int) (bit >>> 3));
      values[i] = base + (int) ((word >>> (bit & 7)) & mask);
      bit += width;
    }
  }
}
