// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

import java.time.Duration;

/**
 * Regular bursts of one UDP flow at line rate, on top of the usual traffic.
 *
 * @param interval from the start of one burst to the start of the next; the first comes after one
 *     interval
 * @param packets packets in a burst
 * @param frameBytes length of each frame on the wire, without preamble and check sequence
 * @param lineBitsPerSecond line rate that spaces the packets of a burst
 */
public record Microburst(Duration interval, int packets, int frameBytes, long lineBitsPerSecond) {

  /** Preamble (8), frame check sequence (4) and inter-frame gap (12) of Ethernet. */
  private static final long FRAMING_BYTES = 24;

  /** 500 full-size frames at 100 Gbit/s every 100 ms. */
  public static final Microburst DEFAULT =
      new Microburst(Duration.ofMillis(100), 500, 1514, 100_000_000_000L);

  public Microburst {
    SyntheticOptions.require(packets >= 1, "a burst needs at least one packet", packets);
    SyntheticOptions.requireFrameBytes("burst frame size", frameBytes);
    SyntheticOptions.require(
        lineBitsPerSecond >= 1_000_000 && lineBitsPerSecond <= 1_600_000_000_000L,
        "line rate must be in 1 Mbit/s..1.6 Tbit/s",
        lineBitsPerSecond);
    long burstNs = packets * gapNs(frameBytes, lineBitsPerSecond);
    SyntheticOptions.require(
        interval.toNanos() > burstNs,
        "burst interval must be longer than the burst itself (" + burstNs + " ns)",
        interval);
  }

  /** Time between the packets of a burst, at least 1 ns. */
  long gapNs() {
    return gapNs(frameBytes, lineBitsPerSecond);
  }

  private static long gapNs(int frameBytes, long lineBitsPerSecond) {
    return Math.max(1, (frameBytes + FRAMING_BYTES) * 8_000_000_000L / lineBitsPerSecond);
  }
}
