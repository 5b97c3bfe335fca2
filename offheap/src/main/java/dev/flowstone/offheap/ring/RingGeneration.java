// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

/** The lap number in a slot: 1 to 7, so that zeroed memory and the laps before are told apart. */
final class RingGeneration {
  private static final int GENERATIONS = 7;

  private RingGeneration() {}

  static int of(long position, int slotsLog2) {
    return (int) Long.remainderUnsigned(position >>> slotsLog2, GENERATIONS) + 1;
  }
}
