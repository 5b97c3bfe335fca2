// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

/** Signed steps as unsigned numbers: 0, -1, 1, -2 become 0, 1, 2, 3. */
final class ZigZag {
  private ZigZag() {}

  static int encode(int step) {
    return (step << 1) ^ (step >> 31);
  }

  static int decode(int number) {
    return (number >>> 1) ^ -(number & 1);
  }
}
