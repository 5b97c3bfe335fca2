// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.operators;

/** Flink's watermarks, in milliseconds, and packets' times, in nanoseconds. */
public final class EventTime {
  private EventTime() {}

  /**
   * From when on packets may still come: a watermark is the last millisecond of which nothing is to
   * come. The end of time is {@link Long#MAX_VALUE}.
   */
  public static long earliestNs(long watermarkMs) {
    long ms = watermarkMs + 1;
    return watermarkMs >= Long.MAX_VALUE / BlockLosses.NS_PER_MS - 1
        ? Long.MAX_VALUE
        : Math.max(ms, Long.MIN_VALUE / BlockLosses.NS_PER_MS) * BlockLosses.NS_PER_MS;
  }

  /** The millisecond that a packet's time is in. */
  public static long ms(long timeNs) {
    return Math.floorDiv(timeNs, BlockLosses.NS_PER_MS);
  }
}
