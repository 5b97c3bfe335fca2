// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

/**
 * The latest packet of each direction, as far as predictions need it. One half cache line per
 * direction.
 */
final class Directions {
  private static final int WORDS_LOG2 = 3;

  static final int NEXT_SEQUENCE = 0;
  static final int ACKNOWLEDGEMENT = 1;
  static final int WINDOW = 2;
  static final int OVERHEAD = 3;
  static final int TRAITS = 4;

  final int[] words;

  Directions(int maxDirections) {
    words = new int[maxDirections << WORDS_LOG2];
  }

  /** Index of the first word of a direction; add one of the constants. */
  static int at(int direction) {
    return direction << WORDS_LOG2;
  }
}
