// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BitPackingTest {
  private static final int WIDEST = 32;
  private static final int MOST = 33;
  private static final int OFFSET = 3;
  private static final byte UNTOUCHED = 0x5a;

  /** Every width with every count round two groups, held against the definition, bit by bit. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void shouldPackEveryWidth(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int width = 0; width <= WIDEST; width++) {
      for (int count = 0; count <= MOST; count++) {
        int base = random.nextInt();
        int[] values = random.ints(count).toArray();
        byte[] target = new byte[OFFSET + MOST * Integer.BYTES + BitPacking.SLACK_BYTES + 1];
        Arrays.fill(target, UNTOUCHED);

        int end = BitPacking.pack(values, count, base, width, target, OFFSET);

        assertThat(end).isEqualTo(OFFSET + BitPacking.lengthBytes(count, width));
        for (int i = 0; i < count; i++) {
          long expected = (values[i] - base) & ((1L << width) - 1);
          assertThat(bits(target, i * width, width))
              .as("seed %d: entry %d of %d, width %d", seed, i, count, width)
              .isEqualTo(expected);
        }
        assertThat(target[OFFSET - 1]).isEqualTo(UNTOUCHED);
        assertThat(Arrays.copyOfRange(target, end + BitPacking.SLACK_BYTES, target.length))
            .containsOnly(UNTOUCHED);
      }
    }
  }

  private static long bits(byte[] packed, int first, int count) {
    long value = 0;
    for (int i = 0; i < count; i++) {
      int bit = first + i;
      value |= (long) (packed[OFFSET + (bit >>> 3)] >>> (bit & 7) & 1) << i;
    }
    return value;
  }
}
