// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

/** A kernel's registers, 32 bits at a time. Any thread. */
interface Registers {
  int read(long offset);

  void write(long offset, int value);

  /**
   * A counter of 64 bits: reading the low word holds the high one still, until the next low word of
   * the same counter is read. So no two threads may read one counter at the same time.
   */
  default long counter(long offset) {
    long low = Integer.toUnsignedLong(read(offset));
    return low | (long) read(offset + Integer.BYTES) << Integer.SIZE;
  }
}
