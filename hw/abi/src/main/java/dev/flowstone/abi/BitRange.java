// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

/** Some bits of a scalar, from bit {@code low} to bit {@code high}, both included. */
record BitRange(String name, int high, int low, String doc) {
  int width() {
    return high - low + 1;
  }

  /** Ones in the lowest {@link #width} bits: to be applied after the shift. */
  long mask() {
    return width() == Long.SIZE ? -1L : (1L << width()) - 1;
  }

  String span() {
    return high == low ? Integer.toString(low) : high + ":" + low;
  }
}
