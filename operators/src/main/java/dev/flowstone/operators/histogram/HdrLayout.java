// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import java.io.Serializable;

/**
 * Which count of an HdrHistogram a value is counted in. A histogram covers zero to {@code highest}
 * and keeps {@code digits} significant decimal digits of each value; below {@code lowest} it tells
 * values from one another only roughly.
 *
 * <pre>
 *   values in powers of two, each cut into the same number of steps (digits 1: 16):
 *
 *   unit * 0 .. 31     step unit        counts  0 .. 31    unit: the power of two up to lowest
 *   unit * 32 .. 63    step 2 units     counts 32 .. 47
 *   unit * 64 .. 127   step 4 units     counts 48 .. 63    ...
 * </pre>
 *
 * <p>An example: lowest 100, digits 1. The unit is 64. 1,000 is 15 units: count 15, which stands
 * for 960 to 1,023. 10,000 is 156 units, in the group of 128 to 255 with its step of 8: 156 / 8 =
 * 19, the fourth step of the group that begins with count 64: count 67, for 9,728 to 10,239.
 */
final class HdrLayout implements Serializable {
  private static final long serialVersionUID = 1L;

  /** A value has no more bits. */
  private static final int MOST_BITS = 62;

  final long lowest;
  final long highest;
  final int digits;

  /** How many counts there are. */
  final int length;

  private final int unitLog2;
  private final int halfStepsLog2;
  private final int halfSteps;
  private final long firstGroup;
  private final int leadingZeros;

  /**
   * Counts for this range.
   *
   * @throws IllegalArgumentException where an HdrHistogram could not have it either
   */
  HdrLayout(long lowest, long highest, int digits) {
    this.lowest = lowest;
    this.highest = highest;
    this.digits = digits;
    unitLog2 = Long.SIZE - 1 - Long.numberOfLeadingZeros(lowest);
    int steps = 2 * (int) Math.pow(10, digits);
    int stepsLog2 = Integer.SIZE - Integer.numberOfLeadingZeros(steps - 1);
    if (unitLog2 + stepsLog2 > MOST_BITS) {
      throw new IllegalArgumentException(
          digits + " digits of values from " + lowest + " on are too many: use fewer");
    }
    halfStepsLog2 = stepsLog2 - 1;
    halfSteps = 1 << halfStepsLog2;
    firstGroup = ((1L << stepsLog2) - 1) << unitLog2;
    leadingZeros = Long.SIZE - unitLog2 - stepsLog2;
    length = indexOf(highest) / halfSteps * halfSteps + halfSteps;
  }

  /** The count of a value from 0 to highest. */
  int indexOf(long value) {
    int group = leadingZeros - Long.numberOfLeadingZeros(value | firstGroup);
    int step = (int) (value >>> (group + unitLog2));
    return (group << halfStepsLog2) + step;
  }

  /** The greatest of the values that a count stands for. */
  long greatestAt(int index) {
    int group = Math.max(0, (index >> halfStepsLog2) - 1);
    int step = index - (group << halfStepsLog2);
    return ((step + 1L) << (group + unitLog2)) - 1;
  }

  @Override
  public String toString() {
    return lowest + " to " + highest + " with " + digits + " digits";
  }
}
