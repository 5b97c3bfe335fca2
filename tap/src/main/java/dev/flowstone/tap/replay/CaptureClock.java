// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

/**
 * How one pcapng interface counts time: ticks of a fraction of a second ({@code if_tsresol}) since
 * 1970 plus a number of seconds ({@code if_tsoffset}).
 */
record CaptureClock(boolean binary, int exponent, long offsetSeconds) {
  static final CaptureClock MICROSECONDS = new CaptureClock(false, 6, 0);

  private static final long SECOND_NS = 1_000_000_000;
  private static final int NANOSECOND_EXPONENT = 9;

  /** The largest power of ten that fits 64 unsigned bits. */
  private static final int LARGEST_POWER_OF_TEN = 19;

  /** From the byte of {@code if_tsresol}: bit 7 chooses 2^-n over 10^-n. */
  CaptureClock withResolution(int tsresol) {
    return new CaptureClock((tsresol & 0x80) != 0, tsresol & 0x7F, offsetSeconds);
  }

  CaptureClock withOffsetSeconds(long seconds) {
    return new CaptureClock(binary, exponent, seconds);
  }

  /**
   * Unsigned ticks to nanoseconds, the division truncated; modulo 2^64 as the descriptor's field.
   */
  long timeNs(long ticks) {
    return (binary ? binaryNs(ticks) : decimalNs(ticks)) + offsetSeconds * SECOND_NS;
  }

  private long decimalNs(long ticks) {
    if (exponent <= NANOSECOND_EXPONENT) {
      return ticks * powerOfTen(NANOSECOND_EXPONENT - exponent);
    }
    int down = exponent - NANOSECOND_EXPONENT;
    return down > LARGEST_POWER_OF_TEN ? 0 : Long.divideUnsigned(ticks, powerOfTen(down));
  }

  private long binaryNs(long ticks) {
    long low = ticks * SECOND_NS;
    long high = Math.unsignedMultiplyHigh(ticks, SECOND_NS);
    if (exponent == 0) {
      return low;
    }
    if (exponent < Long.SIZE) {
      return (low >>> exponent) | (high << (Long.SIZE - exponent));
    }
    return high >>> (exponent - Long.SIZE);
  }

  private static long powerOfTen(int exponent) {
    long power = 1;
    for (int i = 0; i < exponent; i++) {
      power *= 10;
    }
    return power;
  }
}
