// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import java.time.Duration;

/**
 * Packets of one flow, back to back at line rate, again and again.
 *
 * @param interval from the start of one burst to the start of the next
 * @param packets packets in a burst
 * @param bitsPerSecond the line rate they come at
 */
public record Microbursts(Duration interval, int packets, long bitsPerSecond) {
  public static final int MAX_PACKETS = 1_000_000;
  static final int FRAME_BYTES = 1514;

  /** Preamble, check sequence and the gap between frames. */
  private static final int LINE_OVERHEAD_BYTES = 24;

  private static final double SECOND_NS = 1e9;

  public Microbursts {
    if (packets < 2 || packets > MAX_PACKETS) {
      throw new IllegalArgumentException(
          "a microburst has from 2 to " + MAX_PACKETS + " packets: packets=" + packets);
    }
    if (bitsPerSecond < 1_000_000 || bitsPerSecond > 1_000_000_000_000L) {
      throw new IllegalArgumentException(
          "microburst line rate must be from 1 Mb/s to 1 Tb/s: bits/s=" + bitsPerSecond);
    }
    if (interval.toNanos() <= (packets - 1) * gapNs(FRAME_BYTES, bitsPerSecond)) {
      throw new IllegalArgumentException(
          "microburst interval is shorter than a burst: interval="
              + interval
              + ", packets="
              + packets
              + ", bits/s="
              + bitsPerSecond);
    }
  }

  /** Time from one frame's start to the next one's, at line rate. */
  long gapNs(int frameBytes) {
    return gapNs(frameBytes, bitsPerSecond);
  }

  private static long gapNs(int frameBytes, long bitsPerSecond) {
    return Math.max(
        1, Math.round((frameBytes + LINE_OVERHEAD_BYTES) * Byte.SIZE * SECOND_NS / bitsPerSecond));
  }
}
