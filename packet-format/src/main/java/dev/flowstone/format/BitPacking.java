// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

/**
 * Arrays of w-bit numbers: entry i has bits i*w to i*w + w - 1, the lowest bit of a byte first.
 * Writing and reading touch up to {@link #SLACK_BYTES} bytes behind the array, which the caller
 * provides.
 */
final class BitPacking {
  static final int SLACK_BYTES = 8;

  /** So many numbers end where a byte ends, whatever their width. */
  private static final int GROUP = 8;

  private static final int MAX_WIDTH_OF_GROUPS = 16;

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
    if (width == Integer.SIZE) {
      return packWhole(values, count, base, target, offset);
    }
    if (width > MAX_WIDTH_OF_GROUPS) {
      return packRest(values, 0, count, base, width, target, offset);
    }
    final int grouped = count & -GROUP;
    if (width <= Byte.SIZE) {
      packNarrow(values, grouped, base, width, target, offset);
    } else {
      packMiddling(values, grouped, base, width, target, offset);
    }
    final int end = offset + grouped / GROUP * width;
    return packRest(values, grouped, count, base, width, target, end);
  }

  /** A group is one 64-bit word at most: no group waits for the one before. */
  private static void packNarrow(
      int[] values, int count, int base, int width, byte[] target, int offset) {
    final long mask = (1L << width) - 1;
    int at = offset;
    for (int i = 0; i < count; i += GROUP) {
      final long group =
          four(values, i, base, width, mask)
              | four(values, i + GROUP / 2, base, width, mask) << (GROUP / 2 * width);
      LittleEndian.LONG.set(target, at, group);
      at += width;
    }
  }

  /** A group is more than one 64-bit word and at most two. */
  private static void packMiddling(
      int[] values, int count, int base, int width, byte[] target, int offset) {
    final long mask = (1L << width) - 1;
    final int halfBits = GROUP / 2 * width;
    int at = offset;
    for (int i = 0; i < count; i += GROUP) {
      final long lower = four(values, i, base, width, mask);
      final long upper = four(values, i + GROUP / 2, base, width, mask);
      // Two steps, as halfBits may be 64, by which nothing would be shifted.
      LittleEndian.LONG.set(target, at, lower | upper << (halfBits - 1) << 1);
      LittleEndian.LONG.set(target, at + Long.BYTES, upper >>> (Long.SIZE - halfBits));
      at += width;
    }
  }

  private static int packWhole(int[] values, int count, int base, byte[] target, int offset) {
    for (int i = 0; i < count; i++) {
      LittleEndian.INT.set(target, offset + i * Integer.BYTES, values[i] - base);
    }
    return offset + count * Integer.BYTES;
  }

  /** Four numbers as one. */
  private static long four(int[] values, int i, int base, int width, long mask) {
    return ((values[i] - base) & mask)
        | ((values[i + 1] - base) & mask) << width
        | ((values[i + 2] - base) & mask) << (2 * width)
        | ((values[i + 3] - base) & mask) << (3 * width);
  }

  /** One after the other, from a byte's first bit on. */
  private static int packRest(
      int[] values, int first, int count, int base, int width, byte[] target, int offset) {
    final long mask = (1L << width) - 1;
    long pending = 0;
    int pendingBits = 0;
    int at = offset;
    for (int i = first; i < count; i++) {
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
