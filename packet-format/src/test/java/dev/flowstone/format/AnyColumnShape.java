// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketColumnLayout.HAS_BASE_SHIFT;
import static dev.flowstone.model.abi.PacketColumnLayout.HAS_EXCEPTIONS_SHIFT;
import static dev.flowstone.model.abi.PacketColumnLayout.LEVELS;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Writes columns as the format's page allows it, whether it pays or not: every width, with and
 * without base, with exceptions that are none. One bit after the other, by nobody's packing code.
 */
final class AnyColumnShape {
  private final SplittableRandom random;

  AnyColumnShape(SplittableRandom random) {
    this.random = random;
  }

  /** Writes values that fit mostWidth bits and returns the offset behind them. */
  int write(int level, int mostWidth, int[] values, byte[] target, int offset) {
    final int base = mostWidth == 32 && random.nextInt(4) == 0 ? random.nextInt() : 0;
    final int[] above = Arrays.stream(values).map(value -> value - base).toArray();
    final int widest = Arrays.stream(above).map(BitPacking::widthOf).max().orElse(0);
    final boolean innermost = level == LEVELS - 1 || values.length == 0;
    final int width = random.nextInt(innermost ? widest : 0, mostWidth + 1);
    final int[] rows =
        IntStream.range(0, values.length)
            .filter(row -> BitPacking.widthOf(above[row]) > width || random.nextInt(64) == 0)
            .toArray();
    final boolean hasExceptions = !innermost && rows.length > 0;
    target[offset] =
        (byte)
            (width
                | (base != 0 ? 1 << HAS_BASE_SHIFT : 0)
                | (hasExceptions ? 1 << HAS_EXCEPTIONS_SHIFT : 0));
    int end = offset + 1;
    if (base != 0) {
      end = pack(new int[] {base}, 32, target, end);
    }
    end = pack(above, width, target, end);
    if (hasExceptions) {
      end = pack(new int[] {rows.length}, 16, target, end);
      end = writePlaces(rows, values.length, target, end);
      final int[] high = Arrays.stream(rows).map(row -> high(above[row], width)).toArray();
      end = write(level + 1, mostWidth - width, high, target, end);
    }
    return end;
  }

  private static int high(int value, int width) {
    return (int) ((value & 0xffff_ffffL) >>> width);
  }

  /** A list where it is shorter than a bit for each row. */
  static int writePlaces(int[] exceptions, int rows, byte[] target, int offset) {
    final int rowWidth = BitPacking.widthOf(rows - 1);
    if (exceptions.length * rowWidth < rows) {
      return pack(exceptions, rowWidth, target, offset);
    }
    final int[] marks = new int[rows];
    Arrays.stream(exceptions).forEach(row -> marks[row] = 1);
    return pack(marks, 1, target, offset);
  }

  /** The low bits of numbers, from a byte's first bit on. */
  static int pack(int[] numbers, int width, byte[] target, int offset) {
    final int bits = numbers.length * width;
    final int end = offset + (bits + 7) / 8;
    Arrays.fill(target, offset, end, (byte) 0);
    for (int bit = 0; bit < bits; bit++) {
      final int one = numbers[bit / width] >>> (bit % width) & 1;
      target[offset + bit / 8] |= (byte) (one << (bit % 8));
    }
    return end;
  }
}
